import { useEffect, useRef } from 'react';
import swaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './reference-viewer.css';

/** Swagger UI of a document that is already there. */
export function ReferenceViewer({ document: spec }: { document: object }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    swaggerUi({
      domNode: element,
      spec,
      supportedSubmitMethods: [],
      docExpansion: 'none',
      defaultModelsExpandDepth: -1,
      filter: true,
      deepLinking: false,
      validatorUrl: null,
      syntaxHighlight: { activated: false },
    });
    return () => element.replaceChildren();
  }, [spec]);
  return <div ref={host} className="api-reference" />;
}
