/**
 * Windows of models that servers do not tell, by how their names begin, the longest beginning
 * first.
 */
const known: readonly (readonly [string, number])[] = [
  ["claude", 200_000],
  ["codestral", 256_000],
  ["command-r", 128_000],
  ["deepseek", 64_000],
  ["gemini-1.5-pro", 2_000_000],
  ["gemini", 1_000_000],
  ["gemma2", 8_192],
  ["gemma3", 128_000],
  ["gpt-3.5", 16_385],
  ["gpt-4-turbo", 128_000],
  ["gpt-4.1", 1_000_000],
  ["gpt-4o", 128_000],
  ["gpt-4", 8_192],
  ["gpt-5", 400_000],
  ["gpt-oss", 131_072],
  ["grok", 131_072],
  ["kimi", 128_000],
  ["llama-3.1", 131_072],
  ["llama-3.2", 131_072],
  ["llama-3.3", 131_072],
  ["llama3", 8_192],
  ["mistral", 32_768],
  ["mixtral", 32_768],
  ["o1", 200_000],
  ["o3", 200_000],
  ["o4", 200_000],
  ["phi-3", 128_000],
  ["qwen", 32_768],
];

/** Returns the window that is known by a model's name, whoever serves it (`vendor/name:tag`). */
export function knownWindow(model: string): number | undefined {
  const name = model.toLowerCase().replace(/^.*\//, "");
  const fits = known.filter(([beginning]) => name.startsWith(beginning));
  return fits.toSorted(([a], [b]) => b.length - a.length)[0]?.[1];
}
