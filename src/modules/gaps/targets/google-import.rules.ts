import { isFitText } from './arn.rules.js';
import { GOOGLE_FORMS, GOOGLE_IMPORT_TYPES, type GoogleImportType } from './google-import-types.js';
import type { ImportMapping, ImportSource, ImportTarget } from './import-target.js';
import { filledTemplate, templateExpression, type TemplateValues } from './path-template.rules.js';

/** Where only the request tells the project. */
const PROJECT = /^[a-z0-9][a-z0-9:.-]{0,99}$/i;
const FORMS = { ...GOOGLE_FORMS, name: '[^/]+' };
const TYPES = GOOGLE_IMPORT_TYPES.map((type) => ({ type, expression: templateExpression(type[0], FORMS) }));

/** The asset's name after its host is the import id of most types. */
export function mapGoogleImport(source: ImportSource): ImportMapping {
  const { id, resourceType } = source;
  if (!isFitText(id) || !/^\/\/[a-z0-9.-]+\/./.test(id)) return { reason: 'the asset name is malformed' };
  const name = id.slice(2);
  for (const { type, expression } of TYPES) {
    const values = expression.exec(name)?.groups;
    if (values) return { target: targetOf(source, type, values) };
  }
  const isNamed = resourceType !== undefined && isFitText(resourceType) && resourceType.length <= 100;
  const what = isNamed ? resourceType : `assets of ${name.slice(0, name.indexOf('/'))}`;
  return { reason: `no Terraform type is known for ${what}` };
}

function targetOf(
  { id, region, account, attributes = {} }: ImportSource,
  [, terraformType, template]: GoogleImportType,
  values: TemplateValues,
): ImportTarget {
  const path = id.slice(id.indexOf('/', 2) + 1);
  const email = terraformType === 'google_service_account' ? attributes['email'] : undefined;
  const importId = template === undefined ? path : filledTemplate(template, values);
  return {
    terraformType,
    importId: email === undefined ? importId : importId.replace(/[^/]+$/, email),
    name: email?.split('@')[0] ?? lastOf(path),
    arguments: argumentsOf(terraformType, values, { email, region }),
    account: values['project'] ?? (account !== undefined && PROJECT.test(account) ? account : undefined),
  };
}

function argumentsOf(
  terraformType: string,
  values: TemplateValues,
  { email, region }: { email: string | undefined; region: string | undefined },
): [string, string][] {
  const told = Object.entries(values).filter(([name]) => !name.startsWith('_'));
  const main = told.filter(([name]) => name !== 'project').reverse();
  const project = told.filter(([name]) => name === 'project');
  if (email !== undefined) main.unshift(['account_id', email.split('@')[0] ?? email]);
  if (terraformType === 'google_storage_bucket' && region !== undefined && /^[a-z0-9-]{1,40}$/i.test(region))
    main.push(['location', region.toUpperCase()]);
  return [...main, ...project];
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
