import { asError } from "@gantry/sdk/node";
import { type ConfigText, type Host, type LogWriter, type Problem, readText } from "@gantry/host";
import { readTree } from "./config/read-tree.ts";
import { type Installation, type StartOptions } from "./installation.ts";
import { eachOf, readablePart, withoutWrong } from "./without-wrong.ts";

/**
 * Starts a host by what is right in the file, for words that say what is wrong; if that cannot be
 * told key by key, by none of it. Throws if the fault is not one of the file.
 */
export async function startWithoutWrong(
  session: Installation,
  write: LogWriter,
  options: StartOptions,
): Promise<Host> {
  const problems: Problem[] = [];
  let text = await whatCanBeRead(session.configFile, problems);
  for (;;) {
    try {
      return await session.start(write, { ...options, problems }, text);
    } catch (error) {
      const found = eachOf(asError(error));
      const isEmpty = Object.keys(text.tree).length === 0;
      if (found.length === 0 || isEmpty) throw error;
      problems.push(...found.filter(({ message }) => !problems.some((known) => known.message === message)));
      text = { ...text, tree: withoutWrong(text.tree, found) ?? {} };
    }
  }
}

async function whatCanBeRead(file: string, problems: Problem[]): Promise<ConfigText> {
  const read = (text: string): ConfigText => {
    const { text: parsed, problems: missing, leftOut } = readTree(file, text, process.env, true);
    problems.push(...missing, ...leftOut);
    return { ...parsed, tree: withoutWrong(parsed.tree, missing) ?? parsed.tree };
  };
  let text = "";
  try {
    text = (await readText(file)) ?? "";
    return read(text);
  } catch (error) {
    problems.push(...eachOf(asError(error)));
    return read(readablePart(text));
  }
}
