import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  allOf?: Schema[];
}

interface Operation {
  'x-public'?: boolean;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface DescribedRoute {
  method: string;
  /** with `{parameters}` */
  path: string;
  isPublic: boolean;
  query: string[];
  /** names of the fields of its JSON body */
  fields: string[];
}

const description = JSON.parse(readFileSync(join(__dirname, '..', '..', 'docs', 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

function fieldsOf(schema: Schema | undefined): string[] {
  if (!schema) return [];
  if (schema.$ref !== undefined)
    return fieldsOf(description.components.schemas[schema.$ref.split('/').at(-1) ?? '']);
  return [...Object.keys(schema.properties ?? {}), ...(schema.allOf ?? []).flatMap(fieldsOf)];
}

/** Every route of the committed description, so that a new route is covered by itself. */
export const describedRoutes: readonly DescribedRoute[] = Object.entries(description.paths).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.replace('x-', '').toUpperCase(),
      path,
      isPublic: operation['x-public'] === true,
      query: (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name),
      fields: fieldsOf(operation.requestBody?.content['application/json']?.schema),
    })),
);
