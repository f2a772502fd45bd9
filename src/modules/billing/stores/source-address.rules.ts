const MAX_LENGTH = 2_000;
const MAX_GLOBS = 16;
/** Ports, queries, fragments, escapes, white space and control characters have no place in an address. */
const FORBIDDEN = /[\s\\?#%\p{Cc}\p{Cf}\p{Cs}]/u;
const BUCKET = /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;
const AZURE_HOST = /^([a-z0-9](?:-?[a-z0-9]){2,62}|\$web)@([a-z0-9]{3,24})\.dfs\.core\.windows\.net$/;

/** Where a billing source lies. `path` has no leading slash (`file`: it has one) and may hold `*` and `**`. */
export type SourceAddress =
  | { store: 's3' | 'gs'; bucket: string; path: string }
  | { store: 'abfss'; account: string; container: string; path: string }
  | { store: 'file'; path: string };

/** The parts of a `source_uri`; undefined for everything that is not exactly a bucket or file below a root. */
export function parseSourceAddress(uri: string): SourceAddress | undefined {
  if (uri.length > MAX_LENGTH || FORBIDDEN.test(uri)) return undefined;
  const [, store, rest] = /^(s3|gs|abfss|file):\/\/(.+)$/u.exec(uri) ?? [];
  if (store === undefined || rest === undefined) return undefined;
  const slash = rest.indexOf('/');
  const [host, path] = [rest.slice(0, slash), rest.slice(slash + 1)];
  if (slash < 0 || !isPath(path)) return undefined;
  if (store === 'file') return host === '' ? { store, path: `/${path}` } : undefined;
  if (store === 'abfss') return azureAddress(host, path);
  if (!BUCKET.test(host) || host.includes('..')) return undefined;
  return { store: store === 's3' ? 's3' : 'gs', bucket: host, path };
}

function azureAddress(host: string, path: string): SourceAddress | undefined {
  const [, container, account] = AZURE_HOST.exec(host) ?? [];
  return container === undefined || account === undefined
    ? undefined
    : { store: 'abfss', container, account, path };
}

/** A path that names something: no empty, `.` or `..` segment; a slash at its end means everything below it. */
function isPath(path: string): boolean {
  const segments = path.split('/');
  if (segments.at(-1) === '' && segments.length > 1) segments.pop();
  const globs = (path.match(/\*+/g) ?? []).length;
  return (
    globs <= MAX_GLOBS &&
    segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..') &&
    segments.every((segment) => !segment.includes('**') || segment === '**')
  );
}
