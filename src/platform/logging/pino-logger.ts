import { Logger, type LoggerService, type LogLevel } from '@nestjs/common';
import { Level, Logger as Pino, pino } from 'pino';

const LEVELS: Readonly<Record<LogLevel, Level>> = {
  verbose: 'trace',
  debug: 'debug',
  log: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'fatal',
};

/** What the framework says while it puts itself together: a hundred lines that interest nobody but its debugger. */
const CHATTER = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
]);

/**
 * One JSON line an event on stdout. Only what is handed over is written: no bodies, headers, query values or
 * attributes are ever collected here, so none can leak.
 */
export class PinoLogger implements LoggerService {
  readonly pino: Pino;

  constructor(level: string) {
    this.pino = pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('verbose', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write('log', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest hands the context over as the last argument, after a stack where there is one. */
  private write(level: LogLevel, message: unknown, rest: unknown[]): void {
    const last = rest.at(-1);
    const context = typeof last === 'string' ? last : undefined;
    const fields = typeof message === 'object' && message !== null ? message : { msg: String(message) };
    const effective = level === 'log' && context !== undefined && CHATTER.has(context) ? 'debug' : level;
    this.pino[LEVELS[effective]]({ context, ...fields });
  }
}

/** Whatever the process says from now on, it says in lines of JSON. */
export function useStructuredLogs(level: string): void {
  Logger.overrideLogger(new PinoLogger(level));
}
