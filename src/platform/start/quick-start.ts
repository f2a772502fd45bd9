import { join } from 'node:path';
import { cacheCompiledCode } from './compile-cache.js';

// Imported before everything else: a start compiles nearly 3,000 files.
cacheCompiledCode(join(__dirname, '..', '..', '..', 'node_modules', '.cache', 'compiled-code'));
