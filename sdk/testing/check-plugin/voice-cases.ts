import { GantryError, type Speaker, type Transcriber } from "../../index.ts";
import type { ContractCase } from "../contract-case.ts";
import { cases, endsSoon, messageOf, within, wrong } from "../say.ts";
import { kindOf } from "./answered.ts";

const note = Object.freeze({ bytes: new Uint8Array(64), mime: "audio/ogg", name: "note.ogg" });

/** Runs a call that may fail with a code; undefined if it did. */
async function orCoded<T>(who: string, patienceMs: number, call: () => Promise<T>): Promise<T | undefined> {
  const late = wrong(who, `did not answer in ${patienceMs} ms`, "bound what it waits for");
  return within(patienceMs, late, call).catch((error: unknown) => {
    if (error instanceof GantryError) return undefined;
    if (error === late) throw error;
    throw wrong(who, `threw without a code (${messageOf(error)})`, "throw a coded error");
  });
}

/** Throws if a call goes on for long after its signal was aborted. */
async function endsWith(
  who: string,
  patienceMs: number,
  call: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const cure = "hand the signal on to what it waits for";
  const late = wrong(who, `went on for ${patienceMs} ms after its signal was aborted`, cure);
  const abort = new AbortController();
  const answer = endsSoon(patienceMs, late, () => call(abort.signal));
  abort.abort();
  await answer;
}

/** The sentences about what turns words into speech. */
export function speakerCases(speaker: Speaker, patienceMs: number): readonly ContractCase[] {
  const who = "The speaker";
  const { signal } = new AbortController();
  return cases({
    "a speaker gives audio, or throws a coded error": async () => {
      for (const words of ["Hello.", "x".repeat(Math.min(speaker.maxLength, 10_000)), "\u0000 \u{1F512}"]) {
        const speech = await orCoded(who, patienceMs, () => speaker.speak(words, signal));
        if (speech === undefined) continue;
        if (!(speech?.bytes instanceof Uint8Array) || !/^audio\/[\w.+-]+/.test(String(speech.mime)))
          throw wrong(who, "gave what is not audio", "give { bytes, mime: audio/… }");
      }
    },
    "a speaker ends when it is told to": () =>
      endsWith(who, patienceMs, (told) => speaker.speak("Hello.", told)),
  });
}

/** The sentences about what turns speech into words. */
export function transcriberCases(transcriber: Transcriber, patienceMs: number): readonly ContractCase[] {
  const who = "The transcriber";
  const { signal } = new AbortController();
  return cases({
    "a transcriber gives words, or throws a coded error": async () => {
      const words: unknown = await orCoded(who, patienceMs, () => transcriber.transcribe(note, signal));
      if (words !== undefined && typeof words !== "string")
        throw wrong(who, `gave ${kindOf(words)}`, "give the words as text");
    },
    "a transcriber ends when it is told to": () =>
      endsWith(who, patienceMs, (told) => transcriber.transcribe(note, told)),
  });
}
