/** `arn:partition:service:region:account:resource`; region and account can be empty, the resource can hold colons. */
export interface Arn {
  partition: string;
  service: string;
  region: string;
  account: string;
  resource: string;
}

const MAX_LENGTH = 2_048;
/** Control characters and lone surrogates are in no ARN. */
const UNFIT = /[\0-\x1f\x7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export function parseArn(text: string): Arn | undefined {
  if (text.length > MAX_LENGTH || UNFIT.test(text)) return undefined;
  const match = /^arn:(aws(?:-[a-z]+)*):([a-z0-9-]+):([a-z0-9-]*):([a-z0-9]*):([^]+)$/i.exec(text);
  if (!match) return undefined;
  const [, partition = '', service = '', region = '', account = '', resource = ''] = match;
  return { partition, service, region, account, resource };
}

export function printArn({ partition, service, region, account, resource }: Arn): string {
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
}

/** What stands behind the type: `main` of `db:main`, `a/b` of `log-group:a/b`; all of it when there is no type. */
export function idOfResource(resource: string): string {
  const at = resource.search(/[:/]/);
  return at < 0 ? resource : resource.slice(at + 1);
}

/** Text that Terraform can hold, of a length that a cloud's id may have. */
export function isFitText(text: string): boolean {
  return text !== '' && text.length <= MAX_LENGTH && !UNFIT.test(text);
}
