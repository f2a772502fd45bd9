import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { AppError } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { Audit } from '../../audit/index.js';
import { DependencyCycle, InvalidRepoConfig, type RepoConfig } from '../../repo-config/index.js';
import { CommentCommandEntity } from '../entities/gate.entities.js';
import { type Change, Changes, UnreadableChange } from '../planning/changes.js';
import { Permissions } from '../planning/permissions.service.js';
import { inlineText } from '../reporting/comment-text.rules.js';
import { Replies } from '../reporting/replies.js';
import { CommandRefused, type CommandContext, triggerOf } from './command-context.js';
import { CommandActions } from './command-actions.js';
import { Runs } from '../runs/runs.store.js';
import { type CommentCommand, HELP, isTooLate, lateText, parseComment } from './comment.rules.js';
import { readTagQuery, type TagQueryReading, type Vocabulary } from './prose.rules.js';

interface KnownCommand {
  answered_at: Date | null;
  carried_out_at: Date | null;
  created_at: Date;
  /** no earlier attempt may have answered it */
  is_new: boolean;
}

type Permitted = keyof RepoConfig['access_control'];

/** Without a text, a reaction is all of the answer. */
interface Reply {
  text: string | undefined;
  isRefusal: boolean;
}

/** Which list of people a command asks for; undefined: everybody who can comment. */
const PERMISSION: Record<CommentCommand['name'], Permitted | undefined> = {
  plan: 'plan',
  apply: 'apply',
  'apply-autoapprove': 'apply_autoapprove',
  'apply-force': 'apply_force',
  unlock: 'unlock',
  'gate approve': undefined,
  help: undefined,
  'repo-config': undefined,
  unknown: undefined,
};

/** Comments on pull requests: each command is taken up once and answered once. */
@Injectable()
export class CommentCommands {
  constructor(
    private readonly work: UnitOfWork,
    private readonly replies: Replies,
    private readonly changes: Changes,
    private readonly permissions: Permissions,
    private readonly actions: CommandActions,
    private readonly runs: Runs,
    private readonly audit: Audit,
    private readonly clock: Clock,
  ) {}

  async answer(context: CommandContext): Promise<void> {
    const command = parseComment(context.comment.body);
    if (!command) return;
    const { repository, comment } = context;
    const rows = await this.work.query<KnownCommand>(
      `INSERT INTO comment_commands (repository_id, comment_id) VALUES ($1, $2)
       ON CONFLICT (repository_id, comment_id) DO UPDATE SET comment_id = excluded.comment_id RETURNING answered_at, carried_out_at,
         created_at, xmax = 0 AS is_new`,
      [repository.id, comment.id],
    );
    const [known] = rows;
    if (known?.answered_at) return;
    const reply = known?.carried_out_at ? doneReply(context, command) : await this.replyTo(context, command);
    if (reply !== undefined)
      await this.say(context, reply, known?.is_new === false ? known.created_at : undefined);
    await this.work.manager.update(
      CommentCommandEntity,
      { repositoryId: repository.id, commentId: comment.id },
      { answeredAt: () => 'now()' },
    );
  }

  private async say(context: CommandContext, reply: Reply, since: Date | undefined): Promise<void> {
    const { number } = context.pullRequest;
    const reaction = reply.isRefusal ? 'confused' : 'eyes';
    await this.replies.react(context, { number, id: context.comment.id }, reaction);
    if (reply.text === undefined) return;
    await this.replies.write(context, number, { key: triggerOf(context), text: reply.text, since });
  }

  /** Undefined for a sentence that only begins like a command. */
  private async replyTo(context: CommandContext, command: CommentCommand): Promise<Reply | undefined> {
    if (!(await this.isLate(context))) return this.execute(context, command);
    if (readingOf(command, undefined).kind === 'prose') return undefined;
    return { text: lateText(context.receivedAt), isRefusal: true };
  }

  /** What has begun goes on, however long the provider refused to hear of it. */
  private async isLate(context: CommandContext): Promise<boolean> {
    if (!isTooLate(context.receivedAt, this.clock.now())) return false;
    const { repository, pullRequest } = context;
    return (await this.runs.askedBy(repository.id, pullRequest.number, triggerOf(context))).length === 0;
  }

  private async execute(context: CommandContext, command: CommentCommand): Promise<Reply | undefined> {
    if (command.name === 'help') return { text: HELP, isRefusal: false };
    if (command.name === 'unknown')
      return { text: `\`${inlineText(command.text)}\` is not a command.\n\n${HELP}`, isRefusal: true };
    let known: Vocabulary | undefined;
    try {
      const change = await this.changes.read(context, context.pullRequest.number, { awaitMergeable: true });
      known = vocabularyOf(change);
      const reading = readingOf(command, known);
      if (reading.kind === 'prose') return undefined;
      if (reading.kind === 'unknown tag') throw new CommandRefused(unknownTagText(reading));
      await this.permit(context, command, change);
      const text = await this.actions.act(context, command, change);
      await this.work.run(async () => {
        await this.work.query(
          'UPDATE comment_commands SET carried_out_at = now() WHERE repository_id = $1 AND comment_id = $2',
          [context.repository.id, context.comment.id],
        );
        await this.record(context, command);
      });
      return { text, isRefusal: false };
    } catch (error) {
      const text = refusalText(error);
      return readingOf(command, known).kind === 'prose' ? undefined : { text, isRefusal: true };
    }
  }

  private async permit(context: CommandContext, command: CommentCommand, change: Change): Promise<void> {
    if (change.refusal !== undefined) throw new CommandRefused(`Nothing is run: ${change.refusal}.`);
    const permission = PERMISSION[command.name];
    if (permission === undefined) return;
    const people = change.config.access_control[permission];
    const { username } = context.comment;
    if (await this.permissions.isOneOf(context, username, people)) return;
    throw new CommandRefused(
      `@${username} may not do this: \`${command.name}\` is for ${people.map((entry) => `\`${entry}\``).join(', ')} (\`access_control.${permission}\` of the base branch).`,
    );
  }

  private async record(
    { installation, comment, tenantId, pullRequest, repository }: CommandContext,
    command: CommentCommand,
  ) {
    if (command.name === 'repo-config') return;
    await this.audit.record({
      action: `pull-request.${command.name.replace(' ', '-')}`,
      objectType: 'pull-request',
      objectId: `${repository.owner}/${repository.name}#${pullRequest.number}`,
      tenantId,
      data: {
        provider: installation.provider,
        username: comment.username,
        commentId: comment.id,
        ...('numbers' in command && command.numbers.length > 0 ? { numbers: command.numbers } : {}),
        ...('tagQuery' in command && command.tagQuery ? { tagQuery: command.tagQuery } : {}),
      },
    });
  }
}

function readingOf(command: CommentCommand, known: Vocabulary | undefined): TagQueryReading {
  return 'trigger' in command ? readTagQuery(command, known) : { kind: 'command' };
}

/** Undefined while a run has to find the configuration out. */
function vocabularyOf({ config, awaits, all }: Change): Vocabulary | undefined {
  if (awaits === 'build-config') return undefined;
  const directories = Object.values(config.dirs);
  const workspaces = directories.flatMap((each) => Object.values(each.workspaces ?? {}));
  const tags = new Set([...directories, ...workspaces].flatMap((each) => each.tags));
  const keyed = new Map<string, string>();
  for (const { dir, workspace } of all) {
    if (workspace !== 'default') keyed.set(workspace, `workspace:${workspace}`);
    keyed.set(dir, `dir:${dir}`);
  }
  return { tags, keyed };
}

function unknownTagText({ tag, meant }: { tag: string; meant?: string }): string {
  const hint = meant === undefined ? '' : ` Did you mean \`${inlineText(meant)}\`?`;
  return `Nothing was started: no directory has the tag \`${inlineText(tag)}\`.${hint} A tag query consists of tags of \`dirs\` in the configuration, \`dir:<directory>\`, \`workspace:<name>\` and \`environment:<name>\`.`;
}

/**
 * For a command that was carried out while its answer was lost. It is not carried out again: what it did may have been
 * undone on purpose, and the head may be another one.
 */
function doneReply({ comment }: CommandContext, { name }: CommentCommand): Reply {
  const text = name === 'gate approve' ? `@${comment.username} approved the gate.` : DONE_TEXTS[name];
  return { text, isRefusal: false };
}

/** Plan and apply are answered by their statuses and the comment on the run. */
const DONE_TEXTS: Partial<Record<CommentCommand['name'], string>> = {
  unlock: 'Unlocked.',
  'repo-config': 'The configuration was read, but its text was lost: write the command again.',
};

/** Mistakes of people are said to them; anything else is a failure, and the comment is taken up again. */
function refusalText(error: unknown): string {
  if (error instanceof CommandRefused) return error.message;
  if (error instanceof InvalidRepoConfig)
    return `The configuration is not valid:\n\n${error.mistakes.map(({ file, line, key, message }) => `- \`${file}:${line}\` ${inlineText(key)}: ${inlineText(message)}`).join('\n')}`;
  if (error instanceof DependencyCycle || error instanceof UnreadableChange) return inlineText(error.message);
  if (error instanceof AppError && error.status === 400) return inlineText(error.message);
  throw error;
}
