/** The package has no types of its own. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export default function swaggerUi(options: {
    domNode: HTMLElement;
    spec: object;
    supportedSubmitMethods: string[];
    docExpansion: 'none';
    defaultModelsExpandDepth: number;
    filter: boolean;
    deepLinking: boolean;
    validatorUrl: null;
    syntaxHighlight: { activated: boolean };
  }): unknown;
}
