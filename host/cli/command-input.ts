import type { CommandInput } from "@gantry/sdk";
import { errors } from "./errors.ts";

const defaultMaxLength = 8 * 1024 * 1024;

/** Returns stdin for a command; nothing of it is opened or read until the command asks. */
export function commandInput(own: AbortSignal): CommandInput {
  const bytes: CommandInput["bytes"] = ({ signal } = {}) =>
    piecesOf(signal ? AbortSignal.any([own, signal]) : own);
  return {
    bytes,
    lines: ({ maxLength = defaultMaxLength, ...options } = {}) => linesOf(bytes(options), maxLength),
  };
}

/** Ends with the input or the signal. Throws FILE_FAILED. */
async function* piecesOf(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (signal.aborted) return;
  const { stdin } = process;
  const end = (): void => void stdin.destroy();
  signal.addEventListener("abort", end);
  try {
    yield* stdin as AsyncIterable<Buffer>;
  } catch (error) {
    if (!signal.aborted) throw errors.FILE_FAILED("The input", "read", (error as NodeJS.ErrnoException).code);
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

/** Throws INPUT_LINE_TOO_LONG. */
async function* linesOf(pieces: AsyncIterable<Uint8Array>, maxLength: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  const bounded = (line: string): string => {
    if (line.length > maxLength) throw errors.INPUT_LINE_TOO_LONG(maxLength);
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  };
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield bounded(line);
    bounded(rest);
  }
  rest += decoder.decode();
  if (rest !== "") yield bounded(rest);
}
