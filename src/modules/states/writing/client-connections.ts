import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { Clock } from '../../../platform/time/clock.js';

/** A client of Terraform closes a connection that was idle for 90 s. A longer idle one may be dead. */
const ALIVE_MS = 100_000;

interface Connection {
  id: string;
  credential: string;
  /** several credentials used it, so that it belongs to a proxy */
  isShared: boolean;
  /** milliseconds */
  lastUsed: number;
}

/** The connections that clients of the backend have open to this process. */
@Injectable()
export class ClientConnections {
  private readonly known = new WeakMap<Socket, Connection>();
  private readonly open = new Map<string, Connection>();

  constructor(
    private readonly clock: Clock,
    private readonly secrets: Secrets,
  ) {}

  /** The id of a client's own connection; undefined when it is known to carry several clients. */
  identify(socket: Socket, credential: string): string | undefined {
    const connection = this.known.get(socket) ?? this.register(socket, credential);
    connection.lastUsed = this.clock.now().getTime();
    if (connection.credential !== credential) {
      connection.isShared = true;
      this.open.delete(connection.id);
    }
    return connection.isShared ? undefined : connection.id;
  }

  /** The ids of the connections that one credential uses at present. */
  openFor(credential: string): string[] {
    const since = this.clock.now().getTime() - ALIVE_MS;
    return [...this.open.values()]
      .filter((connection) => connection.credential === credential && connection.lastUsed >= since)
      .map(({ id }) => id);
  }

  private register(socket: Socket, credential: string): Connection {
    const connection = { id: this.secrets.uuid(), credential, isShared: false, lastUsed: 0 };
    this.known.set(socket, connection);
    this.open.set(connection.id, connection);
    socket.once('close', () => this.open.delete(connection.id));
    return connection;
  }
}
