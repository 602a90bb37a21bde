import type { Params } from "./slack-limits.test-kit.ts";
import { botUser, team, type FakeFile, type SlackWorkspace } from "./slack-workspace.test-kit.ts";

/** The fields beside `ok`; `error` makes it a refusal. */
export type Answer = Params | { readonly error: string; readonly needed?: string };

type Method = (params: Params, slack: SlackWorkspace) => Answer;

export const answers: Readonly<Record<string, Method>> = {
  "auth.test": (_, slack) => ({
    url: slack.origin,
    team: "Acme",
    team_id: team,
    user: "gantry",
    user_id: botUser,
    bot_id: "B11111111",
  }),
  "users.info": ({ user }, { names }) =>
    names.has(user)
      ? { user: { id: user, name: names.get(user), profile: { display_name: names.get(user) } } }
      : { error: "user_not_found" },
  "chat.postMessage": (params, slack) => {
    const wrong = notWritable(params, slack);
    if (wrong !== undefined) return { error: wrong };
    const { channel, text, blocks, thread_ts, metadata } = params;
    const about = {
      type: "message",
      subtype: "bot_message",
      user: botUser,
      bot_id: "B11111111",
      ts: slack.ts(),
    };
    const message = slack.keep(channel, { ...about, text, blocks, thread_ts, metadata });
    return { channel, ts: message["ts"], message };
  },
  "chat.postEphemeral": (params, slack) => {
    const wrong = notWritable(params, slack);
    return wrong === undefined ? { message_ts: slack.ts() } : { error: wrong };
  },
  "chat.update": ({ channel, ts, text, blocks }, slack) => {
    const list = slack.messages.get(channel) ?? [];
    const at = list.findIndex((message) => message["ts"] === ts);
    if (at < 0) return { error: "message_not_found" };
    if (list[at]?.["user"] !== botUser) return { error: "cant_update_message" };
    list[at] = { ...list[at], text, blocks };
    return { channel, ts, text };
  },
  "reactions.add": ({ channel, timestamp, name }, { reactions, messages }) => {
    const key = `${channel} ${timestamp} ${name}`;
    if (reactions.has(key)) return { error: "already_reacted" };
    if (!messages.get(channel)?.some(({ ts }) => ts === timestamp)) return { error: "message_not_found" };
    reactions.add(key);
    return {};
  },
  "reactions.remove": ({ channel, timestamp, name }, { reactions }) =>
    reactions.delete(`${channel} ${timestamp} ${name}`) ? {} : { error: "no_reaction" },
  "assistant.threads.setStatus": (params, slack) => {
    const wrong = notWritable({ channel: params["channel_id"] }, slack);
    return wrong === undefined ? {} : { error: wrong };
  },
  "conversations.history": (params, slack) => {
    const all = slack.messages.get(params["channel"]) ?? [];
    return pageOf(
      all.filter(({ ts, thread_ts }) => thread_ts === undefined || thread_ts === ts).toReversed(),
      params,
      slack,
    );
  },
  "conversations.replies": (params, slack) => {
    const all = slack.messages.get(params["channel"]) ?? [];
    const thread = all.filter(({ ts, thread_ts }) => ts === params["ts"] || thread_ts === params["ts"]);
    return thread.length === 0 ? { error: "thread_not_found" } : pageOf(thread, params, slack, params["ts"]);
  },
  "files.info": ({ file }, slack) => {
    const found = slack.files.get(file);
    return found === undefined ? { error: "file_not_found" } : { file: fileOf(found, slack) };
  },
  "files.getUploadURLExternal": ({ filename, length }, slack) => {
    const id = `F${slack.files.size + 1}UP`;
    slack.addFile({ id, name: filename, mimetype: "application/octet-stream", size: Number(length) });
    return { upload_url: `${slack.origin}/upload/${id}`, file_id: id };
  },
  "files.completeUploadExternal": ({ files, channel_id, thread_ts }, slack) => {
    const wrong = notWritable({ channel: channel_id }, slack);
    if (wrong !== undefined) return { error: wrong };
    for (const { id } of files as Params[]) {
      const file = slack.files.get(id);
      if (file?.bytes === undefined) return { error: "file_not_found" };
      slack.files.set(id, { ...file, sharedIn: [...file.sharedIn, channel_id] });
      slack.keep(channel_id, { type: "message", user: botUser, ts: slack.ts(), thread_ts, files: [{ id }] });
    }
    return { files };
  },
};

/** The methods chat.*, errors: "channel_not_found", "not_in_channel", "is_archived". */
function notWritable({ channel }: Params, { channels }: SlackWorkspace): string | undefined {
  const known = channels.get(channel);
  if (known === undefined) return "channel_not_found";
  if (!known.isMember) return "not_in_channel";
  return known.isArchived === true ? "is_archived" : undefined;
}

/**
 * The method conversations.history: `oldest` is left out itself; metadata are told only to who asks
 * for all.
 */
function pageOf(all: readonly Params[], params: Params, slack: SlackWorkspace, always?: string): Answer {
  const {
    channel,
    oldest = "0",
    latest = "9999999999",
    limit = 100,
    cursor = "0",
    include_all_metadata,
  } = params;
  const known = slack.channels.get(channel);
  if (known === undefined) return { error: "channel_not_found" };
  if (!known.isMember) return { error: "not_in_channel" };
  const inTime = ({ ts }: Params): boolean => Number(ts) > Number(oldest) && Number(ts) < Number(latest);
  const found = all.filter((message) => message["ts"] === always || inTime(message));
  const from = Number(cursor);
  const next = from + Math.min(Number(limit), slack.maxPage);
  const messages = found
    .slice(from, next)
    .map(({ metadata, ...message }) =>
      String(include_all_metadata) === "true" ? { ...message, metadata } : message,
    );
  const response_metadata = { next_cursor: next < found.length ? String(next) : "" };
  return { messages, has_more: next < found.length, response_metadata };
}

export function fileOf({ id, name, mimetype, size, subtype }: FakeFile, { origin }: SlackWorkspace): Params {
  const address = `${origin}/files/${id}/${encodeURIComponent(name)}`;
  return { id, name, mimetype, size, subtype, url_private: address, url_private_download: address };
}
