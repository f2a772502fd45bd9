import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import swaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './reference-viewer.css';

/** Swagger UI of a document that is already there. */
export function ReferenceViewer({ document: spec }: { document: object }) {
  const host = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    // Its own name for a dark page.
    document.documentElement.classList.toggle('dark-mode', scheme === 'dark');
    return () => document.documentElement.classList.remove('dark-mode');
  }, [scheme]);
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    swaggerUi({
      domNode: element,
      spec: { ...spec, servers: undefined },
      supportedSubmitMethods: [],
      docExpansion: 'none',
      defaultModelsExpandDepth: -1,
      filter: true,
      deepLinking: false,
      validatorUrl: null,
      syntaxHighlight: { activated: false },
    });
    const observer = new MutationObserver(() => withoutLandmarks(element));
    observer.observe(element, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      element.replaceChildren();
    };
  }, [spec]);
  return <div ref={host} className="api-reference" />;
}

/** The page has one main landmark and one heading of the first rank already. */
function withoutLandmarks(element: HTMLElement): void {
  for (const title of element.querySelectorAll('h1:not([aria-level])')) title.setAttribute('aria-level', '2');
  for (const main of element.querySelectorAll('main:not([role])')) main.setAttribute('role', 'none');
}
