import { MAX_TYPING_DISTANCE, typingDistance } from '../../repo-config/index.js';

/** `terraform` and `tofu` also begin ordinary sentences about the engine; `infrastate` means this service. */
const PRODUCT = 'infrastate';
const VERBS = [
  'plan',
  'apply',
  'apply-autoapprove',
  'apply-force',
  'unlock',
  'gate',
  'help',
  'repo-config',
] as const;
/** Commands of the engine that people try here. */
const ENGINE_VERBS = new Set(['init', 'validate', 'destroy', 'import', 'refresh', 'show', 'fmt', 'test']);
const OPERATORS = new Set(['and', 'or', 'not']);
const SENTENCE_END = /[.,;:!?…]$/;
/** `key:value`, but no address of a page. */
const KEY_TERM = /^\w[\w-]*:(?!\/\/)\S/;
/** So many words in a row that may be tags read as a sentence. */
const MIN_SENTENCE_WORDS = 3;

/** Whether the trigger word means this service alone. */
interface Addressed {
  isProduct: boolean;
}

/**
 * Whether text after a trigger word was meant as a command, though the grammar has no such command. Meant is what is
 * short and close to a command; everything else is a sentence that nobody answers.
 */
export function isMistypedCommand(trigger: string, text: string): boolean {
  const [verb = '', ...rest] = text.split(/\s+/).filter((word) => word !== '');
  const isProduct = trigger === PRODUCT;
  if (rest.length === 0) return isMistypedVerb(verb, { isProduct });
  const [first = ''] = rest;
  switch (verb.toLowerCase()) {
    case 'gate':
      return isNear(first.toLowerCase(), 'approve');
    case 'unlock':
      return rest.some((word) => /\d/.test(word)) || (isProduct && rest.length === 1);
    case 'help':
    case 'repo-config':
      return isProduct && rest.length === 1 && !SENTENCE_END.test(first);
    default:
      return isNearVerb(verb) && isShortQuery(rest, { isProduct });
  }
}

function isMistypedVerb(verb: string, { isProduct }: Addressed): boolean {
  const word = verb.toLowerCase();
  if (word === '' || isNearVerb(word)) return true;
  if (isProduct) return !SENTENCE_END.test(word);
  return ENGINE_VERBS.has(word);
}

function isShortQuery(words: readonly string[], { isProduct }: Addressed): boolean {
  if (words.some((word) => KEY_TERM.test(word))) return true;
  return isProduct && words.length === 1 && !SENTENCE_END.test(words[0] ?? '');
}

/** What words of a tag query may name. */
export interface Vocabulary {
  tags: ReadonlySet<string>;
  /** directories and workspaces, which need a key: `dir:network` */
  keyed: ReadonlyMap<string, string>;
}

export type TagQueryReading =
  | { kind: 'command' }
  | { kind: 'prose' }
  /** a command that names a tag which no directory has; `meant`: the term that was forgotten */
  | { kind: 'unknown tag'; tag: string; meant?: string };

/**
 * How the text after `plan` or `apply` is meant. Its bare words are tags, and people also go on with a sentence
 * ("Terraform apply not working"). `known`: of the configuration; undefined where that is not known yet.
 */
export function readTagQuery(
  { trigger, tagQuery }: { trigger: string; tagQuery: string },
  known: Vocabulary | undefined,
): TagQueryReading {
  if (isTagQueryForSure(tagQuery)) return { kind: 'command' };
  const words = termsOf(tagQuery).filter((term) => !OPERATORS.has(term));
  if (known === undefined) return { kind: words.length < MIN_SENTENCE_WORDS ? 'command' : 'prose' };
  const { tags, keyed } = known;
  const [unknown, ...others] = words.filter((word) => !tags.has(word));
  if (unknown === undefined) return { kind: words.length > 0 || trigger === PRODUCT ? 'command' : 'prose' };
  const meant = keyed.get(unknown);
  if (meant !== undefined && others.every((word) => keyed.has(word)))
    return { kind: 'unknown tag', tag: unknown, meant };
  const isMistyped = [...tags].some((tag) => isNear(unknown, tag));
  const isProduct = trigger === PRODUCT;
  const isSentence = others.length > 0 ? !isProduct || isLong(tagQuery) : !isProduct && !isMistyped;
  if (isSentence) return { kind: 'prose' };
  return { kind: 'unknown tag', tag: unknown };
}

/** Without any word, or with a key, as no sentence has one. */
export function isTagQueryForSure(tagQuery: string): boolean {
  return tagQuery === '' || termsOf(tagQuery).some((term) => KEY_TERM.test(term));
}

/** Long enough for a sentence, or ended like one. */
function isLong(tagQuery: string): boolean {
  const terms = termsOf(tagQuery);
  return terms.length >= MIN_SENTENCE_WORDS || terms.some((term) => SENTENCE_END.test(term));
}

/** Quoted terms are one, as the tag query reads them. */
function termsOf(tagQuery: string): string[] {
  return [...tagQuery.matchAll(/(?<![\w:])"([^"]*)"|(?<![\w:])'([^']*)'|[^\s()]+/g)].map(
    ([all, double, single]) => double ?? single ?? all,
  );
}

function isNearVerb(word: string): boolean {
  return VERBS.some((verb) => isNear(word.toLowerCase(), verb));
}

/** Short words are close to many others. */
function isNear(word: string, wanted: string): boolean {
  const distance = typingDistance(word, wanted);
  return distance === 0 || distance <= (wanted.length < 6 ? 1 : MAX_TYPING_DISTANCE);
}
