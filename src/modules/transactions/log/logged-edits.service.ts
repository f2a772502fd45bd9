import { Injectable } from '@nestjs/common';
import type { Owner } from '../../documents/index.js';
import { checkKey, outputKey, type StateEdit, StateEditor } from '../../states/index.js';
import { checkText, type LoggedContent } from './logged-content.rules.js';
import { TransactionEntries } from './transaction-entries.queries.js';

/** One edit out of what several transactions say, and which of them says what. */
export interface LoggedEdit {
  edit: StateEdit;
  txOf: ReadonlyMap<string, string>;
}

/** What the logs of transactions do to a state. They are disjoint, or one. */
@Injectable()
export class LoggedEdits {
  constructor(
    private readonly entries: TransactionEntries,
    private readonly editor: StateEditor,
  ) {}

  /** The state's row is locked. `clear`: whatever the log does not name is removed. */
  async findEdits(
    txIds: readonly string[],
    owner: Owner,
    { clear }: { clear: boolean },
  ): Promise<LoggedEdit> {
    return this.merged(await this.entries.contents(txIds, owner), owner, { clear });
  }

  /** The same of contents that were read. */
  async merged(
    contents: ReadonlyMap<string, LoggedContent>,
    owner: Owner,
    { clear }: { clear: boolean },
  ): Promise<LoggedEdit> {
    const txOf = new Map<string, string>();
    const edit = {
      instances: [] as StateEdit['instances'][number][],
      outputs: new Map<string, string | undefined>(),
      checks: new Map<string, string | undefined>(),
      terraformVersion: undefined as string | undefined,
      lineage: undefined as string | undefined,
      clear,
    };
    for (const [txId, content] of contents) {
      const instances = [...content.instances, ...(await this.removed(content, owner))];
      for (const instance of instances) txOf.set(instance.key, txId);
      edit.instances.push(...instances);
      for (const [name, text] of content.outputs) {
        edit.outputs.set(name, text);
        txOf.set(outputKey(name), txId);
      }
      for (const [address, text] of await this.checks(content, owner)) {
        edit.checks.set(address, text);
        txOf.set(checkKey(address), txId);
      }
      edit.terraformVersion ??= content.terraformVersion;
      edit.lineage ??= content.lineage;
    }
    return { edit, txOf };
  }

  /** The instances of resources that go as a whole. */
  private async removed(
    { instances, removedResources }: LoggedContent,
    owner: Owner,
  ): Promise<StateEdit['instances']> {
    if (removedResources.size === 0) return [];
    const named = new Set(instances.map(({ key }) => key));
    const state = await this.editor.lock(owner.stateId);
    return (await this.editor.instancesOf(state, removedResources))
      .filter(({ key }) => !named.has(key))
      .map(({ key, resourceAddress }) => ({ key, resourceAddress, text: undefined, resource: undefined }));
  }

  private async checks({ checks }: LoggedContent, owner: Owner): Promise<Map<string, string | undefined>> {
    const texts = new Map<string, string | undefined>();
    if (checks.size === 0) return texts;
    const current = await this.editor.checks(await this.editor.lock(owner.stateId));
    for (const [address, change] of checks)
      texts.set(address, change && checkText(current.get(address), address, change));
    return texts;
  }
}
