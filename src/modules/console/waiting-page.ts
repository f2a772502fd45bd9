import type { Config } from '../../platform/config/index.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { asksForPage, type BrowserRequest, pageHeaders } from './console-document.rules.js';

export interface WaitingPage {
  headers: Record<string, string>;
  body: string;
}

/** What a browser sees while the service starts: a page that asks again by itself, without script. */
export function waitingPage(config: Config): (request: BrowserRequest) => WaitingPage | undefined {
  const secure = config.get('SERVICE_UI_BASE').startsWith('https:');
  // Answers before there is an injector.
  const secrets = new Secrets();
  const isServed = config.get('SERVICE_CONSOLE');
  return (request) => {
    if (!isServed || !asksForPage(request)) return undefined;
    const nonce = secrets.bytes(16).toString('base64');
    return { headers: { ...pageHeaders(nonce, { secure }), 'Retry-After': '2' }, body: page(nonce) };
  };
}

function page(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="2">
<title>Starting · Infrastructure State Service</title>
<style nonce="${nonce}">body{font:16px/1.5 system-ui,sans-serif;margin:20vh auto;max-width:32rem;padding:0 1rem}</style>
</head>
<body>
<main>
<h1>The service is starting</h1>
<p role="status">The database is being prepared. This page loads again by itself.</p>
</main>
</body>
</html>
`;
}
