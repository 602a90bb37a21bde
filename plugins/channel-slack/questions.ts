import {
  approvalTextWithin,
  type ApprovalRequest,
  type Approvals,
  type Json,
  type Logger,
  type Sent,
} from "@gantry/sdk";
import {
  approvalButtons,
  OpenQuestions,
  plainText,
  renderBlocks,
  renderMrkdwn,
  sentOf,
  type LetIn,
} from "@gantry/sdk/channel";
import { isChannel, isTs, placeOf, readAddress } from "./address.ts";
import { conversationOf } from "./read-message.ts";
import { maxText } from "./sender.ts";
import type { Settings } from "./settings.ts";
import type { Params, WebApi } from "./web-api.ts";
import type { WirePress } from "./wire.ts";

const updateMs = 10_000;

export interface QuestionNeeds {
  readonly settings: Settings;
  readonly api: WebApi;
  readonly approvals: Approvals;
  readonly people: LetIn;
  readonly log: Logger;
}

/** Questions to a person as messages with buttons. */
export class Questions {
  readonly #needs: QuestionNeeds;
  readonly #open: OpenQuestions<Pick<Place, "channel" | "ts">>;

  constructor(needs: QuestionNeeds) {
    this.#needs = needs;
    this.#open = new OpenQuestions({
      channel: "slack",
      ...needs,
      settle: (place, words) => this.#update({ ...place, ...shown(words) }),
    });
  }

  async ask(request: ApprovalRequest, to: Json, signal: AbortSignal): Promise<Sent> {
    const address = readAddress(to);
    if (address === undefined) return { status: "refused", reason: "it has no address on Slack" };
    const elements = approvalButtons(request).map(({ label, data }) => ({
      type: "button",
      text: { type: "plain_text", text: label },
      action_id: data,
      value: data,
    }));
    const body = {
      ...placeOf(address),
      ...shown(approvalTextWithin(request, isShort), { type: "actions", elements }),
    };
    return this.#open.ask(request, (stands) =>
      sentOf(async () => {
        const { api } = this.#needs;
        const { ts } = await api.call<{ ts: string }>("chat.postMessage", body, { signal });
        stands({ channel: address.channel, ts });
        return ts;
      }),
    );
  }

  /** Takes the buttons away and says what was decided; once, wherever it was. */
  settled(request: ApprovalRequest, decision: "allow" | "deny"): Promise<void> {
    return this.#open.settled(request, decision);
  }

  /** A press, which was acknowledged before; who pressed is told where it decided nothing. Never throws. */
  async press(press: WirePress, signal: AbortSignal): Promise<void> {
    const { user, channel, message, actions } = press;
    const place = { channel: channel?.id ?? "", ts: message?.ts ?? "", thread_ts: message?.thread_ts };
    if (press.type !== "block_actions" || typeof user?.id !== "string") return;
    if (!isChannel(place.channel) || !isTs(place.ts)) return;
    const { api, log } = this.#needs;
    try {
      const notice = await this.#decide(user.id, place, actions?.[0]?.value ?? "");
      if (notice === undefined) return;
      const thread = place.thread_ts === undefined ? {} : { thread_ts: place.thread_ts };
      const body = { channel: place.channel, user: user.id, text: notice, ...thread };
      await api.call("chat.postEphemeral", body, { signal });
    } catch (error) {
      log.warn({}, `Who pressed a button was told nothing: ${(error as Error).message}`);
    }
  }

  /** What the presser is told; undefined where the question itself says it. */
  async #decide(user: string, place: Place, data: string): Promise<string | undefined> {
    const { replyInThread } = this.#needs.settings;
    const conversation = conversationOf(place, replyInThread && place.thread_ts !== undefined);
    const { notice, decided, forgotten } = await this.#open.press({
      data,
      sender: { id: user },
      conversation,
    });
    const { channel, ts } = place;
    if (forgotten && !decided) void this.#update({ channel, ts, ...shown(notice) });
    return decided ? undefined : notice;
  }

  async #update(body: Params): Promise<void> {
    const { api, log } = this.#needs;
    await api
      .call("chat.update", body, { signal: AbortSignal.timeout(updateMs) })
      .catch((error: Error) => log.debug({}, `A question keeps its buttons: ${error.message}`));
  }
}

interface Place {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts: string | undefined;
}

function isShort(words: string): boolean {
  return renderMrkdwn(plainText(words)).length <= maxText;
}

/** Words of ours that hold what others wrote: none of it is a form, a mention or a link. */
function shown(words: string, ...more: readonly object[]): Params {
  const text = plainText(words.slice(0, maxText));
  const block = renderBlocks(text);
  return {
    text: renderMrkdwn(text).toWellFormed().slice(0, maxText),
    blocks: [...(block === undefined ? [] : [block]), ...more],
    unfurl_links: false,
    unfurl_media: false,
  };
}
