import { createHash } from 'node:crypto';
import Module from 'node:module';
import { basename, dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';
import { CodeStore } from './code-store.js';

/** What Node.js calls with the source of each CommonJS file. Its types do not have it. */
type Compile = (this: NodeJS.Module, source: string, filename: string, format?: string) => unknown;
type Wrapper = (
  this: unknown,
  exports: unknown,
  require: NodeJS.Require,
  module: NodeJS.Module,
  filename: string,
  folder: string,
) => unknown;
interface Loader {
  /** Node.js 22.1 and later. */
  enableCompileCache?: (folder: string) => unknown;
  _compile: Compile;
  _resolveFilename: (request: string, parent: NodeJS.Module, isMain: boolean, options?: object) => string;
  _resolveLookupPaths: (request: string, parent: NodeJS.Module) => string[] | null;
}

/** The file is written again if this share of the code was not in it. */
const STALE_SHARE = 0.05;
/** Functions from a store do not know their file any more, relative to which Node.js would import another one. */
const DYNAMIC_IMPORT = /\bimport\s*\(/;
/** With one of these, Node.js compiles files in its own way. */
const OTHER_COMPILATION = /--enable-source-maps|--inspect|--experimental-default-type/;

/**
 * Stores the code that V8 compiles in `folder`, and loads it in later starts. Each file of code is used only for the same
 * path, source, release and flags of Node.js. Whatever fails, Node.js compiles as usual.
 */
export function cacheCompiledCode(folder: string): void {
  const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  if (process.env.NODE_DISABLE_COMPILE_CACHE || process.env.NODE_V8_COVERAGE || OTHER_COMPILATION.test(flags))
    return;
  // Newer releases of Node.js have such a cache of their own.
  const { enableCompileCache } = Module as unknown as Loader;
  if (enableCompileCache) {
    enableCompileCache(folder);
    return;
  }
  const program = process.argv[1] ?? '';
  const variant = createHash('sha256').update(
    JSON.stringify([process.version, process.arch, flags, program]),
  );
  compileThrough(CodeStore.open(join(folder, `${basename(program)}-${variant.digest('hex').slice(0, 16)}`)));
}

function compileThrough(store: CodeStore): void {
  // Node.js itself calls the method through this object.
  const loader = Module.prototype as unknown as Pick<Loader, '_compile'>;
  const compile = loader._compile;
  const fresh = new Map<string, Script>();
  let found = 0;
  loader._compile = function (source, filename, format) {
    if (format === 'module' || DYNAMIC_IMPORT.test(source))
      return compile.call(this, source, filename, format);
    const key = createHash('sha256').update(filename).update('\0').update(source).digest('base64url');
    const cachedData = store.read(key);
    const script = scriptOf(source, filename, cachedData);
    // Node.js reports mistakes in a file, and finds out whether the file is an ES module.
    if (!script) return compile.call(this, source, filename, format);
    if (cachedData && script.cachedDataRejected === false) found += 1;
    else fresh.set(key, script);
    // The value of a wrapped file is its function, as in Node.js.
    const wrapper = script.runInThisContext() as Wrapper;
    return wrapper.call(this.exports, this.exports, requireOf(this), this, filename, dirname(filename));
  };
  // At the end, the functions that were compiled on their first call are stored too.
  process.once('exit', () => {
    if (fresh.size <= STALE_SHARE * (found + fresh.size)) return;
    try {
      store.replace(new Map([...fresh].map(([key, script]) => [key, script.createCachedData()])));
    } catch {
      // A read-only or full disk: the next start compiles again.
    }
  });
}

function scriptOf(source: string, filename: string, cachedData: Buffer | undefined): Script | undefined {
  try {
    return new Script(Module.wrap(source), {
      filename,
      cachedData,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
  } catch {
    return undefined;
  }
}

/** The function `require` of a file, with the properties that Node.js documents. */
function requireOf(module: NodeJS.Module): NodeJS.Require {
  const { _resolveFilename: resolve, _resolveLookupPaths: lookupPaths } = Module as unknown as Loader;
  return Object.assign((id: string): unknown => module.require(id), {
    resolve: Object.assign((request: string, options?: object) => resolve(request, module, false, options), {
      paths: (request: string) => lookupPaths(request, module),
    }),
    main: require.main,
    // Deprecated, and still read by some packages.
    extensions: require.extensions,
    cache: require.cache,
  });
}
