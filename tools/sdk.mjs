// sdk/src/generated: the client of the API that docs/openapi.json describes.
import { createClient } from '@hey-api/openapi-ts';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export const SDK_FOLDER = 'sdk/src/generated';

/** The generated sources as `path below the repository` → text. */
export async function sdkSources(root, document) {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'sdk-'));
  try {
    await createClient({
      input: forPrograms(document),
      output: { path: folder, importFileExtension: '.js', postProcess: [] },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
      logs: { level: 'silent', file: false },
    });
    return Object.fromEntries(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort()
        .map((name) => [`${SDK_FOLDER}/${name}`, readFileSync(join(folder, name), 'utf8')]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Programs send a key as bearer. The generated client fills in every scheme an operation takes, one over the other, and
 * would leave Basic behind. The address of the service is the caller's, too.
 */
function forPrograms(document) {
  const { servers: _, ...copy } = structuredClone(document);
  for (const item of Object.values(copy.paths))
    for (const operation of Object.values(item))
      if (operation.security?.some((scheme) => 'bearer' in scheme)) operation.security = [{ bearer: [] }];
  return copy;
}
