// Preload (`node --import`): a server that names no host listens on 127.0.0.1 only, and its port is written to the file `WORKER_PORT_FILE` names.
import net from 'node:net';
import { renameSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (first, ...rest) {
  this.once('listening', () => {
    const file = process.env.WORKER_PORT_FILE;
    if (file === undefined) return;
    writeFileSync(`${file}.new`, String(this.address().port));
    renameSync(`${file}.new`, file);
  });
  if (typeof first === 'number' || /^[0-9]+$/.test(String(first))) {
    const [host, ...others] = typeof rest[0] === 'string' ? rest : ['127.0.0.1', ...rest];
    return listen.call(this, Number(first), host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host, ...others);
  }
  return listen.call(this, first, ...rest);
};
