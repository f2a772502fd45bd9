import { Injectable } from '@nestjs/common';

@Injectable()
export class Configurations {
  async clear(_stateId: string): Promise<void> {}
  async apply(_stateId: string, _entries: readonly unknown[]): Promise<void> {}
}
