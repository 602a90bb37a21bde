import type { InboundMessage } from "@gantry/sdk";

/** Sentences for people in channels when something else than an answer comes of their message. */
export const sentences = {
  /** Puts the sentence after what the model had said by then. Only an owner learns the reason. */
  broke: ({ trust }: InboundMessage, said: string, reason: string): string => {
    const broken = "I could not go on; what was done so far stays done. Write again to go on";
    const sentence = trust === "owner" ? `${broken}: ${reason}` : `${broken}.`;
    return said === "" ? sentence : `${said}\n\n[${sentence}]`;
  },

  cutOff: (command: string): string =>
    `I was interrupted at ${command.trim().split(/\s/, 1)[0]}, which may or may not be done: look, and write it again if it is not.`,

  unkept: (command: string): string =>
    `/${command} works on in a conversation that is kept, and nothing is kept of this one.`,

  tooMany: (most: number): string =>
    `${most} of your messages wait for an answer already, so further ones are not taken: please send them again later.`,

  tooFast: (most: number): string =>
    `You wrote more than ${most} messages in a minute: they are kept, and answered at that pace.`,
};
