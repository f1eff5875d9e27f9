/** Module hook (its own thread): answers `import 'better-sqlite3'` with the copy that fits this Electron. */
let sqliteUrl;

export function initialize({ url }) {
  sqliteUrl = url;
}

export function resolve(specifier, context, nextResolve) {
  if (specifier === 'better-sqlite3') return { url: sqliteUrl, format: 'commonjs', shortCircuit: true };
  return nextResolve(specifier, context);
}
