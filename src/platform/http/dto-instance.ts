import { TransformationType } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage } from 'class-validator';

const { PLAIN_TO_CLASS } = TransformationType;

type DtoClass = new () => object;
type Fields = Record<string, unknown>;

interface DtoField {
  name: string;
  /** of `@Type`: a class of fields of its own, or Number */
  type: DtoClass | NumberConstructor | undefined;
  transforms: readonly ((value: unknown, source: Fields) => unknown)[];
}

const known = new WeakMap<DtoClass, readonly DtoField[]>();

/**
 * Makes an instance of a DTO of what was sent. Only fields that the DTO names are looked at, so the work depends on the
 * DTO and not on the body: class-transformer walks everything, in quadratic time for an object of many members. A value
 * without a `@Type` is handed over as it is.
 */
export function plainToInstance(type: DtoClass, value: unknown): unknown {
  // The validation refuses a list, and what is no object.
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? instanceOf(type, value as Fields) : value;
}

/** Names of the fields that have a rule; others are dropped. */
export function fieldNamesOf(type: unknown): readonly string[] {
  return typeof type === 'function' ? fieldsOf(type as DtoClass).map(({ name }) => name) : [];
}

function instanceOf(type: DtoClass, source: Fields): object {
  const instance = new type();
  for (const { name, type: ownType, transforms } of fieldsOf(type)) {
    if (!Object.hasOwn(source, name)) continue;
    let value = ownType === undefined ? source[name] : converted(ownType, source[name]);
    for (const transform of transforms) value = transform(value, source);
    if (value !== undefined) (instance as Fields)[name] = value;
  }
  return instance;
}

function converted(type: DtoClass | NumberConstructor, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  // class-validator passes a list within a list unseen; it refuses null.
  if (Array.isArray(value))
    return value.map((item: unknown) => (Array.isArray(item) ? null : converted(type, item)));
  if (isNumber(type)) return Number(value);
  return typeof value === 'object' ? instanceOf(type, value as Fields) : value;
}

function isNumber(type: unknown): type is NumberConstructor {
  return type === Number;
}

function fieldsOf(type: DtoClass): readonly DtoField[] {
  let fields = known.get(type);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    fields = [...new Set(rules.map(({ propertyName }) => propertyName))].map((name) => fieldOf(type, name));
    known.set(type, fields);
  }
  return fields;
}

function fieldOf(type: DtoClass, name: string): DtoField {
  const declared = defaultMetadataStorage.findTypeMetadata(type, name);
  const transforms = defaultMetadataStorage.findTransformMetadatas(type, name, PLAIN_TO_CLASS);
  return {
    name,
    type: declared?.typeFunction() as DtoField['type'],
    transforms: transforms.map(
      ({ transformFn }) =>
        (value, source) =>
          transformFn({ value, key: name, obj: source, type: PLAIN_TO_CLASS, options: {} }),
    ),
  };
}
