import { answerApart } from "@gantry/sdk/node";
import { Refused, filesOf } from "./tarball.ts";

await answerApart(({ bytes }) => {
  try {
    const files = [...filesOf(bytes)];
    const facts = { files: files.map(([name, content]) => [name, content.length]) };
    return { facts, bytes: Buffer.concat(files.map(([, content]) => content)) };
  } catch (error) {
    if (error instanceof Refused) return { facts: { refused: error.why } };
    throw error;
  }
});
