/** Larger files are shown by their new text alone: nobody reads a comparison of so much. */
export const MAX_COMPARED: number = 1024 * 1024;
/** The comparison holds up everything else meanwhile. */
const MAX_COMPARING_MS = 200;
const CONTEXT_LINES = 3;

/** Returns undefined if the two differ so much that the comparison would take too long. */
export async function diffOf(path: string, before: string, after: string): Promise<string | undefined> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const patch = createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    headerOptions: FILE_HEADERS_ONLY,
    timeout: MAX_COMPARING_MS,
  });
  return patch?.trimEnd();
}

/** Returns a diff of any two texts: both whole if a comparison would take too long. */
export async function changesOf(path: string, before: string, after: string): Promise<string> {
  return (await diffOf(path, before, after)) ?? `${sided("-", before)}\n${sided("+", after)}`;
}

/** Returns a text with `sign` before each of its lines. */
export function sided(sign: string, text: string): string {
  return text.replaceAll(/^/gm, sign);
}
