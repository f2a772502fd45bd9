// What "exists": kept in memory, every change appended to a file, one JSON line each, so that a test can read reality.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

const PREFIX = {
  aws_vpc: 'vpc-',
  aws_subnet: 'subnet-',
  aws_security_group: 'sg-',
  aws_instance: 'i-',
  aws_ami: 'ami-',
};

export class Cloud {
  objects = new Map();
  #made = new Map();

  constructor(file) {
    this.file = file;
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) this.#take(JSON.parse(line));
  }

  /** The same for the same arguments, as often as it was made before. */
  newId(type, attributes) {
    const seed = `${type} ${JSON.stringify(attributes)}`;
    const times = (this.#made.get(seed) ?? 0) + 1;
    this.#made.set(seed, times);
    return (PREFIX[type] ?? '') + createHash('sha256').update(`${seed} ${times}`).digest('hex').slice(0, 17);
  }

  put(id, type, attributes) {
    this.#record({ id, type, attributes });
  }

  remove(id) {
    this.#record({ id });
  }

  /** Lines of `<file>.fail`: an object whose arguments contain one of them cannot be changed. */
  refuses(attributes) {
    const list = `${this.file}.fail`;
    if (!existsSync(list)) return false;
    const text = JSON.stringify(attributes);
    return readFileSync(list, 'utf8')
      .split('\n')
      .filter(Boolean)
      .some((line) => text.includes(line));
  }

  #record(line) {
    this.#take(line);
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }

  #take({ id, type, attributes }) {
    if (attributes) this.objects.set(id, { type, attributes });
    else this.objects.delete(id);
  }
}
