import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Record<string, unknown>;

export const REFERENCE_STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1c2024;overflow-wrap:anywhere}
code,td:first-child{font-family:ui-monospace,monospace;font-size:.9em}h3{margin:2rem 0 .25rem}table{border-collapse:collapse;table-layout:fixed;width:100%}
td,th{border-top:1px solid #d9d9e0;padding:.25rem .5rem;text-align:left;vertical-align:top}td:first-child{width:30%}.m{color:#0b68cb;font-weight:600}`;

/** The whole description as one page without scripts: operations by tag, then the schemas that they name. */
export function referencePage(document: OpenAPIObject): string {
  const groups = new Map<string, string[]>();
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(item as Json)) {
      const { tags } = operation as { tags?: string[] };
      const tag = tags?.[0] ?? 'other';
      groups.set(tag, [...(groups.get(tag) ?? []), operationText(method, path, operation as Json)]);
    }
  const names = [...groups.keys()].sort();
  const title = `${document.info.title} ${document.info.version}: API reference`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${html(title)}</title>
<meta name="viewport" content="width=device-width"><style>${REFERENCE_STYLE}</style><h1>${html(title)}</h1>
<p>${html(document.info.description ?? '')} Send an API key as <code>Authorization: Bearer</code>; with it, <code>GET /api/v1/openapi</code>
answers this description as JSON.</p>
<p>${names.map((name) => `<a href="#tag-${html(name)}">${html(name)}</a>`).join(' · ')} · <a href="#schemas">schemas</a></p>
${names.map((name) => `<h2 id="tag-${html(name)}">${html(name)}</h2>${groups.get(name)?.join('') ?? ''}`).join('')}
<h2 id="schemas">Schemas</h2>${Object.entries(document.components?.schemas ?? {})
    .map(schemaText)
    .join('')}</html>`;
}

function operationText(method: string, path: string, operation: Json): string {
  const parameters = (operation['parameters'] ?? []) as Json[];
  const body = contentOf(operation['requestBody']);
  const rows = [
    ...parameters.map((one) => [
      `${String(one['name'])}${one['required'] === true ? '' : '?'}`,
      `${String(one['in'])}: ${typeText(one['schema'])} ${text(one['description'])}`,
    ]),
    ...(body === undefined ? [] : [['body', typeText(body)]]),
    ...Object.entries((operation['responses'] ?? {}) as Json).map(([status, answer]) => [
      status,
      `${text((answer as Json)['description'])} ${typeText(contentOf(answer))}`,
    ]),
  ];
  const verb = method.replace('x-', '').toUpperCase();
  return `<h3><span class="m">${html(verb)}</span> <code>${html(path)}</code></h3><p>${html(text(operation['summary']))}</p>
<p>${html(text(operation['description']))}</p>${tableText(rows)}`;
}

function schemaText([name, schema]: [string, unknown]): string {
  const { properties = {}, required = [] } = schema as { properties?: Json; required?: string[] };
  const rows = Object.entries(properties).map(([member, value]) => [
    `${member}${required.includes(member) ? '' : '?'}`,
    `${typeText(value)} ${text((value as Json)['description'])}`,
  ]);
  return `<h3 id="schema-${html(name)}"><code>${html(name)}</code></h3>${tableText(rows)}`;
}

function tableText(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(
    (cells) => `<tr>${cells.map((cell) => `<td>${html(cell.trim())}</td>`).join('')}</tr>`,
  );
  return `<table>${lines.join('')}</table>`;
}

function contentOf(place: unknown): unknown {
  const { content } = (place ?? {}) as { content?: Record<string, { schema?: unknown }> };
  return Object.values(content ?? {})[0]?.schema;
}

/** `string`, `integer`, `StateView`, `StateView[]`, `"a" | "b"`. */
function typeText(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return '';
  const { $ref, type, items, enum: values, allOf, oneOf, anyOf } = schema as Json;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  const several = oneOf ?? anyOf ?? allOf;
  if (Array.isArray(several)) return several.map(typeText).join(' | ');
  if (type === 'array') return `${typeText(items) || 'any'}[]`;
  return Array.isArray(type) ? type.join(' | ') : text(type);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function html(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
