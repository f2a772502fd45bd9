import type { Server, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';

export interface ConnectionLimits {
  /** connections open at the same time; beyond it idle ones are closed, and new ones until there is room */
  maxConnections: number;
  /** time for the head of a request to arrive */
  headMs: number;
  /** time in which a client takes nothing of an answer that is ready */
  stalledAnswerMs: number;
}

export const DEFAULT_LIMITS: ConnectionLimits = {
  maxConnections: 4096,
  headMs: 20_000,
  stalledAnswerMs: 120_000,
};

/** Longer than the idle timeout of common load balancers (600 s), so that the service never closes first. */
const KEEP_ALIVE_MS = 620_000;
const LOG_THROTTLE_MS = 10_000;

/** Bounds how many connections there are and how long a client may hold one without sending or taking anything. */
export class ConnectionGuard {
  private readonly logger = new Logger('ConnectionGuard');
  private readonly answers = new Set<ServerResponse>();
  private readonly sweep: NodeJS.Timeout;
  private loggedAt = -Infinity;

  constructor(
    private readonly server: Server,
    private readonly limits: ConnectionLimits,
  ) {
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    // Counted from the first byte of a head, and from the beginning of a connection that sends none: one that is kept
    // alive may be idle for longer.
    server.headersTimeout = limits.headMs;
    // Readers of bodies have limits of their own: a state document of 512 MiB may take its time on a slow line.
    server.requestTimeout = 0;
    server.maxConnections = limits.maxConnections;
    server.on('drop', () => this.makeRoom());
    this.sweep = setInterval(() => this.limitStalled(), limits.stalledAnswerMs / 4);
    this.sweep.unref();
  }

  /** To be called with each answer before it is begun. */
  watch(response: ServerResponse): void {
    this.answers.add(response);
    response.once('close', () => this.answers.delete(response));
  }

  stop(): void {
    clearInterval(this.sweep);
  }

  /** Clients open an idle connection again when they need it: a flood of strangers must not keep others out. */
  private makeRoom(): void {
    this.server.closeIdleConnections();
    const now = performance.now();
    if (now - this.loggedAt < LOG_THROTTLE_MS) return;
    this.loggedAt = now;
    this.logger.warn({ msg: 'too many connections; closing idle and new ones' });
  }

  /** A handler may be silent for as long as it works, so the timeout starts once there is something to take. */
  private limitStalled(): void {
    for (const { socket } of this.answers) {
      // The socket's timer starts again whenever the system has taken some of what is waiting.
      if (socket && socket.writableLength > 0 && (socket.timeout ?? 0) === 0)
        socket.setTimeout(this.limits.stalledAnswerMs);
      else if (socket && socket.writableLength === 0 && socket.timeout === this.limits.stalledAnswerMs)
        socket.setTimeout(0);
    }
  }
}
