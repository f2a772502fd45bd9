import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Config } from '../platform/config/index.js';
import { StartError } from './lifecycle.js';

const RETRY_MS = 500;
const PATIENCE_MS = 3_000;
const SAID_EVERY_MS = 10_000;
/** Redis answers, and waiting will not change the answer. */
const REFUSED = /^(NOAUTH|WRONGPASS|NOPERM)\b/;
/** How an error of Redis itself begins: LOADING, DENIED, MASTERDOWN. */
const REPLY_CODE = /^[A-Z]+\b/;

/** Waits for a Redis that is coming up, when the queues live there. */
export async function prepareQueues(config: Config, stopping: AbortSignal): Promise<void> {
  const url = config.get('SERVICE_REDIS_URL');
  if (url === undefined) return;
  const logger = new Logger('Queue');
  let saidAt = -SAID_EVERY_MS;
  for (;;) {
    stopping.throwIfAborted();
    const failure = await failureOf(url, stopping);
    if (!failure) return;
    if (REFUSED.test(failure.message))
      throw new StartError('the Redis that SERVICE_REDIS_URL names refuses the user name or password in it');
    if (performance.now() - saidAt >= SAID_EVERY_MS) {
      saidAt = performance.now();
      const code = failure.code ?? REPLY_CODE.exec(failure.message)?.[0] ?? failure.name;
      logger.warn({ msg: 'Redis at SERVICE_REDIS_URL is not usable yet', code });
    }
    await delay(RETRY_MS, undefined, { signal: stopping });
  }
}

/** Why a new connection cannot be used, or undefined when it answers. */
async function failureOf(url: string, stopping: AbortSignal): Promise<NodeJS.ErrnoException | undefined> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    // The ping below is the check; this one would hide what Redis answered.
    enableReadyCheck: false,
  });
  // What is thrown only says that the connection was closed; the reason comes as an event.
  let reason: Error | undefined;
  redis.on('error', (error: Error) => (reason ??= error));
  const giveUp = () => redis.disconnect();
  stopping.addEventListener('abort', giveUp);
  try {
    await redis.connect();
    await redis.ping();
    return undefined;
  } catch (error) {
    return reason ?? (error instanceof Error ? error : new Error());
  } finally {
    stopping.removeEventListener('abort', giveUp);
    redis.disconnect();
  }
}
