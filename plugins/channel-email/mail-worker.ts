import { answerApart } from "@gantry/sdk/node";
import { decodeText } from "./decode-text.ts";
import { htmlText } from "./html-text.ts";
import type { MailToRead } from "./mail-reader.ts";
import { readHead } from "./read-head.ts";

await answerApart(async ({ facts, bytes }) => {
  const asked = facts as MailToRead;
  if (asked.what === "html") {
    const text = htmlText(decodeText(bytes, asked.charset));
    return { facts: {}, bytes: Buffer.from(text) };
  }
  return { facts: await readHead(bytes).catch((error: Error) => ({ unreadable: error.message })) };
});
