// Says of sdk/esm that its files are ES modules: the SDK's own package is CommonJS.
import { writeFileSync } from 'node:fs';

writeFileSync(
  new URL('../sdk/esm/package.json', import.meta.url),
  '{ "type": "module", "sideEffects": false }\n',
);
