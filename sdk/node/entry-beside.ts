/**
 * A file that a thread or a process starts from: from source TypeScript, which Node strips, else
 * what the build made of it.
 */
export interface Entry {
  readonly url: URL;
  /** The arguments with which Node can read it. */
  readonly nodeArgs: readonly string[];
}

/**
 * `base`: the `import.meta.url` of a plugin's `index`, beside which `<name>` stands; only
 * `*-worker` files are built there.
 */
export function entryBeside(base: string, name: string): Entry {
  const source = base.endsWith(".ts");
  return {
    url: new URL(`./${name}.${source ? "ts" : "js"}`, base),
    nodeArgs: source ? ["--conditions=gantry-source"] : [],
  };
}
