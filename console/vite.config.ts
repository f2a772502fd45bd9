import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const here = dirname(fileURLToPath(import.meta.url));
const SERVICE = process.env['SERVICE_URL'] ?? 'http://localhost:8080';

/** In development nobody replaces what the service fills into the document. */
function developmentDocument(): Plugin {
  return {
    name: 'development-document',
    apply: 'serve',
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html
          .replaceAll('__SERVICE_BASE__', '/')
          .replaceAll('__SERVICE_SESSION__', 'present')
          .replaceAll('__SERVICE_EDITION__', 'community')
          .replaceAll('__SERVICE_FAILURE__', ''),
    },
  };
}

export default defineConfig({
  root: here,
  // Relative: the service writes the path of SERVICE_UI_BASE into the document, the parts find each other from there.
  base: './',
  plugins: [react(), developmentDocument()],
  html: { cspNonce: '__CSP_NONCE__' },
  // The examples of the SQL page are taken out of docs/sql.md.
  server: {
    port: 5173,
    fs: { allow: [join(here, '..')] },
    proxy: {
      '^/(api|oauth2|health)(/|$)': {
        target: SERVICE,
        changeOrigin: true,
        headers: { origin: new URL(SERVICE).origin, 'sec-fetch-site': 'same-origin' },
      },
    },
  },
  build: {
    outDir: join(here, 'dist'),
    emptyOutDir: true,
    sourcemap: false,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    manifest: 'parts.json',
  },
});
