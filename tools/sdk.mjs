// The clients of the API that docs/openapi.json describes: sdk/src/generated, and the console's with query options.
import { createClient } from '@hey-api/openapi-ts';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export const SDK_FOLDER = 'sdk/src/generated';
export const CONSOLE_FOLDER = 'console/src/platform/client/generated';

/** The generated sources as `path below the repository` → text. */
export async function sdkSources(root, document) {
  return generate(root, SDK_FOLDER, {
    input: withOneCredential(document, 'bearer'),
    output: { importFileExtension: '.js' },
    plugins: [],
  });
}

/** The same for the console: a browser sends its cookie by itself, and reads through TanStack Query. */
export async function consoleSources(root, document) {
  return generate(root, CONSOLE_FOLDER, {
    input: withOneCredential(document, undefined),
    output: {},
    plugins: [
      {
        name: '@tanstack/react-query',
        queryOptions: true,
        infiniteQueryOptions: true,
        mutationOptions: true,
      },
    ],
  });
}

async function generate(root, target, { input, output, plugins }) {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'sdk-'));
  try {
    await createClient({
      input,
      output: { path: folder, postProcess: [], ...output },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk', ...plugins],
      logs: { level: 'silent', file: false },
    });
    return Object.fromEntries(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort()
        .map((name) => [`${target}/${name}`, readFileSync(join(folder, name), 'utf8')]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Programs send a key as bearer. The generated client fills in every scheme an operation takes, one over the other, and
 * would leave Basic behind. The address of the service is the caller's, too.
 */
function withOneCredential(document, kept) {
  const { servers: _, ...copy } = structuredClone(document);
  for (const item of Object.values(copy.paths))
    for (const operation of Object.values(item))
      if (operation.security?.some((scheme) => 'bearer' in scheme))
        operation.security = kept === undefined ? [] : [{ [kept]: [] }];
  return copy;
}
