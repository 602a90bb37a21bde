import { Commands, defineErrors, definePlugin, failed, Inbox, messageFrom } from "@gantry/sdk";

export const errors = defineErrors({
  LINES_NO_INPUT: failed("This release of Gantry gives commands no input: install a newer one."),
});

interface Asked {
  readonly id?: unknown;
  readonly ask?: unknown;
}

/** Returns the object on a line; undefined if the line is not a question. */
function asked(line: string): Asked | undefined {
  try {
    const found = JSON.parse(line) as Asked | null;
    return typeof found?.ask === "string" ? found : undefined;
  } catch {
    return undefined;
  }
}

export default definePlugin({
  name: "command-lines",
  summary: "Answers questions from another program: a line of JSON in, a line of JSON out.",
  needs: { inbox: Inbox },
  provides: [Commands],
  errors,
  setup(host) {
    host.provide(Commands, {
      name: "lines",
      summary: 'answer each {"id":…,"ask":"…"} on stdin by {"id":…,"reply":"…"} on stdout',
      ownsStdout: true,
      async run(run) {
        const { input, signal, out } = run;
        if (!input) throw errors.LINES_NO_INPUT();
        for await (const line of input.lines({ maxLength: 100_000 })) {
          if (line.trim() === "") continue;
          const question = asked(line);
          if (!question) {
            out(JSON.stringify({ error: 'this is not a question: write {"id":…,"ask":"…"}' }));
            continue;
          }
          const { id = null, ask } = question;
          const message = messageFrom(run, String(ask));
          const { reply, error } = await host.needs.inbox.prompt(message, { signal, approvals: "none" });
          out(JSON.stringify({ id, ...(error ? { error: error.message } : { reply }) }));
        }
        return 0;
      },
    });
  },
});
