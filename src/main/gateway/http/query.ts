/** The parameters of a query, by name. One that stands there twice has all its values, which no schema of a text takes: nobody knows which was meant. */
export function queryOf(query: string): Readonly<Record<string, string | readonly string[]>> {
  const parameters = new URLSearchParams(query);
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => {
    const values = parameters.getAll(name);
    return [name, values.length === 1 ? (values[0] ?? '') : values];
  }));
}
