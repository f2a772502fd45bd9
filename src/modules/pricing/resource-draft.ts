import { AttributeReader, ReadLog } from './attribute-reader.js';
import type { ComponentSpec, TierScale } from './component.js';
import { Decimal } from './decimal.js';
import type { UsageValues } from './usage.rules.js';

/** Finds another instance by type and by its id, name, ARN or self link. */
export type FindLinked = (type: string, id: string) => LinkedInstance | undefined;

export interface LinkedInstance {
  attributes: unknown;
  /** the plan's `after_unknown` */
  unknown?: unknown;
  address?: string;
}

/** Another instance that a rule asked for, found or not. */
export interface Link {
  type: string;
  id: string;
}

export interface DraftInput {
  type: string;
  attributes: unknown;
  unknown?: unknown;
  region: string;
  usage?: UsageValues;
  linked?: FindLinked;
}

type Quantity = Decimal | number | undefined;

export interface Described {
  /** key of the price book; `<family>/<name in small letters>` when absent */
  key?: string;
  tierScale?: TierScale;
  factor?: Decimal;
  region?: string;
}

/**
 * What a rule writes on: it reads attributes and describes components. A component described after an attribute could
 * not be read gets neither quantity nor price; `part` limits that to what is inside.
 */
export class ResourceDraft {
  readonly components: ComponentSpec[] = [];
  readonly links: Link[] = [];
  readonly log = new ReadLog();
  readonly attributes: AttributeReader;
  readonly region: string;
  /** components get this before their name: `ebs_block_device[0] / ` */
  private prefix = '';
  private keyGroup = '';
  private multiplier: Quantity;

  constructor(
    readonly input: DraftInput,
    /** first part of the price book's keys that components have by default */
    readonly family: string,
  ) {
    this.attributes = new AttributeReader(input.attributes, input.unknown, this.log);
    this.region = input.region;
  }

  /** Reads and describes something that stands for itself; what is unreadable in it harms nothing outside. */
  part(describe: () => void, prefix = ''): void {
    const { unreadable } = this.log;
    const before = this.prefix;
    const count = this.components.length;
    this.prefix = before + prefix;
    describe();
    const missing = this.log.unreadable;
    if (missing !== unreadable) this.keepVisible(count);
    this.prefix = before;
    this.log.unreadable = unreadable;
  }

  /** As `part`, with the group's name before the components' and in their keys. */
  group(name: string, describe: () => void): void {
    const before = this.keyGroup;
    this.keyGroup = `${before}${keyText(name)}/`;
    this.part(describe, `${name} / `);
    this.keyGroup = before;
  }

  /** Adds a component without a figure when an attribute could not be read and none of the components says so. */
  keepVisible(since = 0): void {
    if (this.log.unreadable === undefined) return;
    if (this.components.slice(since).some((component) => component.unreadable !== undefined)) return;
    this.push('Undetermined', '', { more: { key: '' }, hourly: undefined, monthly: undefined });
  }

  /** Everything described inside counts `count` times. */
  times(count: Quantity, describe: () => void): void {
    const before = this.multiplier;
    if (count !== undefined) this.multiplier = before === undefined ? count : asDecimal(count).times(before);
    describe();
    this.multiplier = before;
  }

  /** Something that runs all the time: `count` units every hour. */
  hours(name: string, more: Described & { count?: Quantity; unit?: string } = {}): void {
    this.push(name, more.unit ?? 'hours', { more, hourly: asDecimal(more.count ?? 1), monthly: undefined });
  }

  /** A quantity a month that the attributes tell. */
  monthly(name: string, unit: string, quantity: Decimal | number, more: Described = {}): void {
    this.push(name, unit, { more, hourly: undefined, monthly: asDecimal(quantity) });
  }

  /** A quantity a month that depends on use; undefined when no usage tells. */
  perUse(name: string, unit: string, quantity: Decimal | undefined, more: Described = {}): void {
    this.push(name, unit, { more, hourly: undefined, monthly: quantity, usageBased: true });
  }

  /** The number that the usage has for a key, divided by what the unit counts: 1,000,000 for `1M requests`. */
  usage(key: string, perUnit = 1): Decimal | undefined {
    const value = this.input.usage?.[key];
    if (value instanceof Decimal) return perUnit === 1 ? value : value.dividedBy(perUnit);
    return undefined;
  }

  usageText(key: string): string | undefined {
    const value = this.input.usage?.[key];
    return typeof value === 'string' ? value : undefined;
  }

  /** A nested object of the usage, such as `standard` of a bucket. */
  usageIn(block: string): (key: string, perUnit?: number) => Decimal | undefined {
    const values = this.input.usage?.[block];
    return (key, perUnit = 1) => {
      const value = typeof values === 'object' && !(values instanceof Decimal) ? values[key] : undefined;
      return value instanceof Decimal ? (perUnit === 1 ? value : value.dividedBy(perUnit)) : undefined;
    };
  }

  /** Another instance's attributes. Remembers the question, so that a change there prices this one again. */
  linked(type: string, id: string | undefined): AttributeReader | undefined {
    const instance = this.findLinked(type, id);
    return instance && new AttributeReader(instance.attributes, instance.unknown, this.log, `${type}.`);
  }

  findLinked(type: string, id: string | undefined): LinkedInstance | undefined {
    if (id === undefined || id === '') return undefined;
    if (!this.links.some((link) => link.type === type && link.id === id)) this.links.push({ type, id });
    return this.input.linked?.(type, id);
  }

  private push(
    name: string,
    unit: string,
    {
      more,
      hourly,
      monthly,
      usageBased = false,
    }: { more: Described; hourly: Decimal | undefined; monthly: Decimal | undefined; usageBased?: boolean },
  ): void {
    const { unreadable } = this.log;
    const component: ComponentSpec = {
      name: this.prefix + name,
      unit,
      key: more.key ?? `${this.family}/${this.keyGroup}${keyText(name)}`,
      usageBased,
    };
    if (more.tierScale) component.tierScale = more.tierScale;
    if (more.factor) component.factor = more.factor;
    if (more.region !== undefined) component.region = more.region;
    if (unreadable !== undefined) component.unreadable = unreadable;
    else {
      if (hourly) component.hourly = this.multiplied(hourly);
      if (monthly) component.monthly = this.multiplied(monthly);
    }
    this.components.push(component);
  }

  private multiplied(quantity: Decimal): Decimal {
    return this.multiplier === undefined ? quantity : quantity.times(asDecimal(this.multiplier));
  }
}

/** Describes the components of one resource: reads attributes and usage, asks for linked instances, no prices. */
export type Rule = (resource: ResourceDraft) => void;

/** Types of one service with their rules; a pair names the family whose prices the type shares. */
export type Rules = Record<string, Rule | readonly [family: string, rule: Rule]>;

/** A component's name as the last part of a key: small letters, digits, dots and underscores, hyphens for the rest. */
export function keyText(name: string): string {
  let text = KEY_TEXTS.get(name);
  if (text === undefined) {
    text = name
      .toLowerCase()
      .replace(/[^a-z0-9._+]+/g, '-')
      .replace(/^-+|-+$/g, '');
    if (KEY_TEXTS.size < 10_000) KEY_TEXTS.set(name, text);
  }
  return text;
}

const KEY_TEXTS = new Map<string, string>();

function asDecimal(quantity: Decimal | number): Decimal {
  return typeof quantity === 'number' ? Decimal.of(quantity) : quantity;
}
