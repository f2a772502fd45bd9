// The console asks the service only through the generated client: no request of its own, no address written by hand.
import ts from 'typescript';

/** Beginnings of addresses that are no pages of the console. */
const ADDRESS = /\/api\/v\d(?:\/|$)|^\/(?:oauth2|health)(?:\/|$)/;
/** The type of an address in the generated client: a text that is not one of its routes does not compile. */
const GENERATED_ADDRESS = /^\w+Data\['url'\]$/;
const REQUESTS = new Set(['fetch', 'XMLHttpRequest', 'EventSource', 'WebSocket', 'sendBeacon']);

/** What is wrong with one file of the console, as `path:line what`. */
export function consoleProblems(path, text) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, kind);
  const problems = [];
  const report = (node, what) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    problems.push(`${path}:${line + 1} ${what}`);
  };
  const visit = (node) => {
    const name = requestOf(node);
    if (name !== undefined) report(node, `${name} is a request of its own: use the generated client`);
    if (isWrittenAddress(node))
      report(node, "an address of the API is written by hand: use the generated client, or a ...Data['url']");
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

/** Name of what sends a request past the client. */
function requestOf(node) {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return undefined;
  const { expression } = node;
  const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
  return REQUESTS.has(name) ? name : undefined;
}

function isWrittenAddress(node) {
  const isText =
    ts.isStringLiteral(node) ||
    ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node);
  if (!isText || !ADDRESS.test(node.text)) return false;
  const { parent } = node;
  const isGenerated =
    ts.isVariableDeclaration(parent) && GENERATED_ADDRESS.test(parent.type?.getText() ?? '');
  return !isGenerated;
}
