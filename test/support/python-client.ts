import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { InputData, JSONSchemaInput, quicktype } from 'quicktype-core';

type Schemas = Record<string, unknown>;

/** Stands for the one package that the generated classes import beside Python's own. */
const DATE_PARSER = `from datetime import datetime


def parse(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
`;

/** Reads each answer with its class and prints the class and the types of its members, those of nested objects as well. */
const CALLER = `import dataclasses
import json
import os
import urllib.request

import client


def types(value):
    if dataclasses.is_dataclass(value):
        members = {field.name: types(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {name: one for name, one in members.items() if one != "NoneType"}
    if isinstance(value, list):
        return [types(one) for one in value[:1]]
    return type(value).__name__


found = {}
for name, path in json.loads(os.environ["ANSWERS"]).items():
    request = urllib.request.Request(os.environ["BASE_URL"] + path)
    request.add_header("Authorization", "Bearer " + os.environ["KEY"])
    with urllib.request.urlopen(request) as answer:
        body = json.load(answer)
    parsed = getattr(client, name).from_dict(body)
    found[name] = {"types": types(parsed), "same": json.loads(json.dumps(parsed.to_dict())).keys() == body.keys()}
print(json.dumps(found))
`;

/** Classes for schemas of docs/openapi.json in Python, and a program that reads answers of a service with them. */
export class PythonClient {
  private constructor(private readonly folder: string) {}

  static async generate(names: readonly string[]): Promise<PythonClient> {
    const folder = mkdtempSync(join(tmpdir(), 'python-client-'));
    mkdirSync(join(folder, 'dateutil'));
    writeFileSync(join(folder, 'dateutil', '__init__.py'), 'from . import parser\n');
    writeFileSync(join(folder, 'dateutil', 'parser.py'), DATE_PARSER);
    writeFileSync(join(folder, 'client.py'), await pythonClasses(names));
    writeFileSync(join(folder, 'caller.py'), CALLER);
    return new PythonClient(folder);
  }

  /** For each class and path: what Python made of the answer. */
  async read(
    service: { url: string; key: string },
    answers: Record<string, string>,
  ): Promise<Record<string, { types: Record<string, unknown>; same: boolean }>> {
    const { stdout } = await promisify(execFile)('python3', [join(this.folder, 'caller.py')], {
      env: {
        ...process.env,
        BASE_URL: `${service.url}/api/v1`,
        KEY: service.key,
        ANSWERS: JSON.stringify(answers),
        PYTHONDONTWRITEBYTECODE: '1',
      },
    });
    return JSON.parse(stdout) as Record<string, { types: Record<string, unknown>; same: boolean }>;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function pythonClasses(names: readonly string[]): Promise<string> {
  const text = readFileSync(join(__dirname, '..', '..', 'docs', 'openapi.json'), 'utf8');
  const { components } = JSON.parse(text.replaceAll('#/components/schemas/', '#/definitions/')) as {
    components: { schemas: Schemas };
  };
  const input = new JSONSchemaInput(undefined);
  for (const name of names) {
    if (!(name in components.schemas)) throw new Error(`no schema is named ${name}`);
    const schema = JSON.stringify({ $ref: `#/definitions/${name}`, definitions: components.schemas });
    await input.addSource({ name, schema });
  }
  const inputData = new InputData();
  inputData.addInput(input);
  const { lines } = await quicktype({
    inputData,
    lang: 'python',
    rendererOptions: { 'python-version': '3.7' },
  });
  return lines.join('\n');
}
