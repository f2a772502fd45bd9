import { type Automata, automataOf, MaskedText } from './masking/masked-text.js';
import { formsOf, type SecretForms } from './masking/secret-forms.rules.js';

/**
 * Replaces sensitive values in output by `***`: as they are, line by line, in JSON, percent encoded in any way, and in base64
 * at every alignment, also where it is wrapped. The time is linear in the length of the text.
 */
export class Masker {
  private readonly forms = new Map<string, SecretForms>();
  private made: Automata | undefined;
  /** for texts that come at once */
  private whole: MaskedText | undefined;

  /** Empty values are not sensitive, nor is every line: see `sensitiveLinesOf`. */
  add(value: string): void {
    if (value.trim() === '' || this.forms.has(value)) return;
    this.forms.set(value, formsOf(value));
    this.made = this.whole = undefined;
  }

  mask(text: string): string {
    if (this.forms.size === 0) return text;
    const masked = (this.whole ??= new MaskedText(this.automata));
    return masked.write(text) + masked.end();
  }

  /** Of a JSON value, every text in it. */
  maskAll<T>(value: T): T {
    if (this.forms.size === 0) return value;
    if (typeof value === 'string') return this.mask(value) as T;
    if (Array.isArray(value)) return value.map((item: unknown) => this.maskAll(item)) as T;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [this.mask(key), this.maskAll(inner as unknown)]),
    ) as T;
  }

  /** For text that comes in chunks: what may still become a sensitive value is held back until more has come. */
  stream(emit: (text: string) => void): { write(text: string): void; end(): void } {
    const masked = new MaskedText(this.automata);
    const show = (text: string): void => {
      if (text !== '') emit(text);
    };
    return {
      write: (text) => {
        masked.use(this.automata);
        show(masked.write(text));
      },
      end: () => {
        masked.use(this.automata);
        show(masked.end());
      },
    };
  }

  private get automata(): Automata {
    this.made ??= automataOf([...this.forms.values()]);
    return this.made;
  }
}
