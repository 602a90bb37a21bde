import type { ChannelPlatformSubject } from "./platform.ts";
import { rigOf, rowsOf } from "./rig.ts";
import { readMarkdown } from "../../channel-kit/index.ts";
import { hostileMarkdown } from "./hostile-markdown.ts";
import { isReadAs, verbatimTexts } from "./verbatim-texts.ts";

type Cases = Readonly<Record<string, () => Promise<void>>>;

/** Cases about the fate of a reply: waits, refusals, secrets, hostile text. */
export function sendingCases(subject: ChannelPlatformSubject): Cases {
  const { on, must } = rigOf(subject);
  const { refusal = "401" } = subject;
  const always: Cases = {
    "CC-10: a refused account holds the channel's messages, and its check says so": async () => {
      await on(async ({ platform, send, host }) => {
        platform.failNext({ how: "account" });
        const sent = await send("hello");
        must(
          sent.status === "retry" && sent.scope === "channel",
          `answered ${JSON.stringify(sent)}`,
          'answer { status: "retry", scope: "channel" }',
        );
        const rows = await rowsOf(host);
        must(
          rows.includes(refusal),
          "says nothing of a refused account in its checks",
          `show \`${refusal}\` with the cure`,
        );
      });
    },
    "CC-11: no secret of the channel is in a log, an answer, an audit record or a check": async () => {
      await on(async ({ platform, send, host }) => {
        const sent = [await send("hello")];
        platform.failNext({ how: "account" });
        sent.push(await send("hello"));
        await platform.close();
        sent.push(await send("hello"));
        const seen = JSON.stringify([sent, host.logs, host.audit, await rowsOf(host)]);
        must(
          !subject.secrets.some((secret) => seen.includes(secret)),
          "shows a secret",
          "take it out with scrubber()",
        );
      });
    },
    "CC-12: whatever a model writes arrives whole": async () => {
      await on(async ({ platform, send }) => {
        for (const [i, text] of hostileMarkdown.entries()) {
          const before = platform.told().length;
          const sent = await send(text, `hostile-${i}`);
          const arrived = platform
            .told()
            .slice(before)
            .map((one) => one.text)
            .join("");
          must(
            sent.status === "sent",
            `answered ${JSON.stringify(sent)} for ${JSON.stringify(text.slice(0, 80))}`,
            "render and split by the kit",
          );
          const rich = (await readMarkdown(text)).text;
          const whole = [text, rich].some((source) => bare(arrived) === bare(source));
          const cure =
            "render and split by the kit, and let told() give it as people read it, escapes undone";
          must(whole, `lost some of ${JSON.stringify(text.slice(0, 80))}`, cure);
        }
      });
    },
  };
  const verbatim: Cases = {
    "SEC-19: a text that is verbatim is read sign by sign, short or long, in whatever form the platform takes it":
      async () => {
        await on(async ({ platform, send }) => {
          const isRead = async (text: string, key: string): Promise<boolean> => {
            const before = platform.told().length;
            const { status } = await send(text, key, true);
            const told = platform.told().slice(before);
            const texts = told.map((one) => one.text);
            // A text that cannot be sent as it stands is not sent at all.
            return isReadAs(texts, text) || (key === "unformed" && status !== "sent" && told.length === 0);
          };
          const cure =
            "send a part that is verbatim as outgoingPieces() or splitVerbatim() cuts it, with every mark of the platform escaped and no form, also where a form is refused";
          for (const [i, text] of verbatimTexts.entries())
            must(
              await isRead(text, `verbatim-${i}`),
              `changed a sign of ${JSON.stringify(text.slice(0, 80))}`,
              cure,
            );
          if (subject.plain === true) return;
          platform.failNext({ how: "form" });
          must(
            await isRead(verbatimTexts[0] as string, "unformed"),
            "changed a sign of it once a form was refused",
            cure,
          );
        });
      },
  };
  const afterWaits: Cases = {
    "CC-09: a wait that the platform asks for is handed on": async () => {
      await on(async ({ platform, send }) => {
        platform.failNext({ how: "rate", afterMs: 7_000 });
        const sent = await send("hello");
        must(
          sent.status === "retry" && sent.afterMs === 7_000,
          `answered ${JSON.stringify(sent)}`,
          "read the platform's wait into afterMs",
        );
      });
    },
  };
  const inForms: Cases = {
    "CC-13: a form that the platform refuses is sent again as plain text": async () => {
      await on(async ({ platform, send }) => {
        platform.failNext({ how: "form" });
        const sent = await send("**bold**");
        must(sent.status === "sent", `answered ${JSON.stringify(sent)}`, "send the plain text, once");
      });
    },
  };
  return {
    ...always,
    ...verbatim,
    ...(subject.waits === false ? {} : afterWaits),
    ...(subject.plain === true ? {} : inForms),
  };
}

/** Without white space, which a cut may take. */
function bare(text: string): string {
  return text.replace(/\s+/g, "");
}
