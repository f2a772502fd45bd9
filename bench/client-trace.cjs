// What a process of the client does, and when: `BENCH_CLIENT_TRACE=<file>` adds a line for each request and each program
// that it starts, with milliseconds from the start of the process to its begin and to its end.
const { appendFileSync } = require('node:fs');
const http = require('node:http');
const childProcess = require('node:child_process');

const file = process.env.BENCH_CLIENT_TRACE;
const lines = [];
const now = () => performance.now();
const note = (begin, what) => lines.push([begin, now(), what]);

const { request } = http;
http.request = (url, options, callback) => {
  const begin = now();
  const outgoing = request(url, options, callback);
  outgoing.once('response', (incoming) =>
    incoming.once('close', () =>
      note(
        begin,
        `${outgoing.method} ${outgoing.path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')} ${incoming.statusCode}`,
      ),
    ),
  );
  return outgoing;
};

const { spawn } = childProcess;
childProcess.spawn = (command, args, options) => {
  const begin = now();
  const child = spawn(command, args, options);
  child.once('close', () => note(begin, `${command} ${args.slice(0, 2).join(' ')}`));
  return child;
};

process.once('exit', () => {
  note(0, 'the whole process');
  const text = lines
    .sort(([a], [b]) => a - b)
    .map(
      ([begin, end, what]) =>
        `${begin.toFixed(0).padStart(7)} ${end.toFixed(0).padStart(7)} ${(end - begin).toFixed(0).padStart(6)}  ${what}\n`,
    );
  appendFileSync(file, `${text.join('')}\n`);
});
