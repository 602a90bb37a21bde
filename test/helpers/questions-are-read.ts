import type { ApprovalRequest } from "@gantry/sdk";
import type { ChannelPlatformSubject } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { questionText } from "../../host/messages/approvals-in-channels.ts";
import { printable } from "../../sdk/node/printable.ts";
import { hostileText } from "../../sdk/channel-kit/rich-text.test-kit.ts";
import { rigOf } from "../../sdk/testing/channel-platform/rig.ts";
import { isReadAs } from "../../sdk/testing/channel-platform/verbatim-texts.ts";

function questionOf(preview: string): string {
  const request: ApprovalRequest = {
    id: "0123456789abcdef",
    session: "test",
    user: "test:nobody",
    tool: "shell",
    args: {},
    preview: printable(preview, Number.POSITIVE_INFINITY),
    lines: preview.split("\n").length,
    commands: 2,
    reasons: ["It asks."],
    warnings: [],
    expires: "2100-01-01T00:00:00.000Z",
  };
  return questionText(request, true);
}

/** Whatever would run, people of this channel read the question about it sign by sign. */
export async function questionsAreRead(subject: ChannelPlatformSubject): Promise<void> {
  await rigOf(subject).on(async ({ platform, send }) => {
    let count = 0;
    await fc.assert(
      // A tab is read as the blanks that it takes.
      fc.asyncProperty(
        hostileText.map((text) => text.replaceAll("\t", "    ")),
        fc.constantFrom(1, 1, 1, 30),
        async (preview, times) => {
          const text = questionOf(preview.repeat(times));
          const before = platform.told().length;
          const { status } = await send(text, `question-${(count += 1)}`, true);
          const read = platform.told().slice(before);
          return (
            status === "sent" &&
            isReadAs(
              read.map((told) => told.text),
              text,
            )
          );
        },
      ),
      { numRuns: process.env["GANTRY_LONG"] ? 1_000 : 20 },
    );
  });
}
