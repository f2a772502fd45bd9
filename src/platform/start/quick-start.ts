import Module from 'node:module';
import { join } from 'node:path';

interface CompileCache {
  /** Node.js 22.1 and later. Returns what became of it; it never throws. */
  enableCompileCache?: (folder: string) => unknown;
}

// Imported before everything else: a start compiles nearly 3,000 files.
(Module as CompileCache).enableCompileCache?.(
  join(__dirname, '..', '..', '..', 'node_modules', '.cache', 'compiled-code'),
);
