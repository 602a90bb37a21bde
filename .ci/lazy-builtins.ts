/**
 * Modules, most of them built in, that a library imports at its top level and this product uses
 * there rarely or never, by library.
 * Loading them costs more than everything else a command does, so each is put behind its first use.
 */
const lazy: readonly { readonly library: RegExp; readonly builtin: string; readonly code: string }[] = [
  {
    // Only for programs that are subcommands in files of their own.
    library: /[\\/]node_modules[\\/]commander[\\/]/,
    builtin: "node:child_process",
    code: 'export default { spawn: (...args) => process.getBuiltinModule("node:child_process").spawn(...args) };',
  },
  {
    // A number that Node sets at start, and a class to recognise request bodies that are never sent
    // here.
    library: /[\\/]node_modules[\\/]undici[\\/]/,
    builtin: "node:http",
    code: [
      'const http = () => process.getBuiltinModule("node:http");',
      "module.exports = {",
      "  maxHeaderSize: 16384,",
      "  IncomingMessage: class IncomingMessage {},",
      "  get STATUS_CODES() { return http().STATUS_CODES; },",
      "};",
    ].join("\n"),
  },
  {
    // All that undici calls is the function itself: the module is wanted once it fails.
    library: /[\\/]node_modules[\\/]undici[\\/]/,
    builtin: "node:assert",
    code: [
      "module.exports = (value, ...rest) => {",
      '  if (!value) process.getBuiltinModule("node:assert")(value, ...rest);',
      "};",
    ].join("\n"),
  },
  {
    // The clock alone, which is a global.
    library: /[\\/]node_modules[\\/]undici[\\/]/,
    builtin: "node:perf_hooks",
    code: "module.exports = { get performance() { return performance; } };",
  },
  {
    // An experiment beside the parser that is used: a third of all that a request loads.
    library: /[\\/]node_modules[\\/]undici[\\/]/,
    builtin: "./parser-h1.js",
    code: "module.exports = { getMiloEnabled: () => false };",
  },
  {
    // HTTP/2 is switched off; this is what undici itself does where it is missing.
    library: /[\\/]node_modules[\\/]undici[\\/]/,
    builtin: "node:http2",
    code: "module.exports = { constants: {} };",
  },
];

/** `{ a as b, c }` of an import as the pattern of a destructuring. */
function pattern(names: string): string {
  return names.replaceAll(" as ", ": ");
}

/**
 * Takes built-in modules as they are. An import of one makes Node read every property it has, and
 * reading some of them (of node:crypto and node:fs, say) loads further modules that nobody asked
 * for.
 */
function plainBuiltins(code: string): string {
  const later = /\bimport\("(node:[\w/]+)"\)(?!\.then)/g;
  return code
    .replace(later, 'Promise.resolve(process.getBuiltinModule("$1"))')
    .replace(
      /^import (?:\* as )?([\w$]+)?(?:, )?(\{[^}]*\})? from "(node:[\w/]+)";$/gm,
      (_, whole: string | undefined, named: string | undefined, id: string) => {
        const taken = [whole, named && pattern(named)].filter((one) => one !== undefined);
        return `const ${taken.map((one) => `${one} = process.getBuiltinModule("${id}")`).join(", ")};`;
      },
    );
}

/** A plugin for the bundler that puts the stand-ins above in place. */
export const lazyBuiltins = {
  name: "lazy-builtins",
  resolveId(source: string, importer: string | undefined): string | undefined {
    const at = lazy.findIndex(
      ({ library, builtin }) => builtin === source && importer !== undefined && library.test(importer),
    );
    return at === -1 ? undefined : `\0lazy-builtin:${at}.js`;
  },
  renderChunk(code: string): { code: string; map: null } {
    return { code: plainBuiltins(code), map: null };
  },
  load(id: string): string | undefined {
    const [, at] = /^\0lazy-builtin:(\d+)\.js$/.exec(id) ?? [];
    return at === undefined ? undefined : lazy[Number(at)]?.code;
  },
};
