// To be preloaded by programs that listen on every address unless they are told otherwise: here they listen on 127.0.0.1.
const net = require('node:net');

const { listen } = net.Server.prototype;
const isAny = (host) => host === undefined || host === null || host === '' || host === '0.0.0.0' || host === '::';

net.Server.prototype.listen = function listenHere(...args) {
  const [first, second] = args;
  if (typeof first === 'object' && first !== null && first.port !== undefined) {
    if (isAny(first.host)) args[0] = { ...first, host: '127.0.0.1' };
  } else if (typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first))) {
    if (typeof second !== 'string') args.splice(1, 0, '127.0.0.1');
    else if (isAny(second)) args[1] = '127.0.0.1';
  }
  return listen.apply(this, args);
};
