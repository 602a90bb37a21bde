import path from "node:path";
import {
  Audit,
  ChatCommands,
  Commands,
  Media,
  Policy,
  Runtime,
  Sandbox,
  Tools,
  definePlugin,
  optional,
  securityKeys,
} from "@gantry/sdk";
import { toolsKeys } from "@gantry/sdk/fill";
import { Type } from "typebox";
import { editTool } from "./edit.ts";
import { errors } from "./errors.ts";
import { filesOf } from "./files.ts";
import { findTool } from "./find.ts";
import { Journal } from "./journal.ts";
import { listTool } from "./list.ts";
import { readTool } from "./read.ts";
import { searchTool } from "./search.ts";
import { undoCommand } from "./undo-command.ts";
import { undoInChat } from "./undo-in-chat.ts";
import { writeTool } from "./write.ts";

export default definePlugin({
  name: "tool-files",
  summary:
    "file_read, file_write, file_edit, file_list, file_find, file_search: files, opened behind the walls of the sandbox.",
  table: "",
  config: Type.Object({
    security: Type.Object({ file_write_enabled: securityKeys.file_write_enabled }),
    tools: Type.Object({
      file_operation_timeout_seconds: Type.Integer({
        default: 10,
        minimum: 1,
        maximum: 3_600,
        description: "How long one file operation may take.",
      }),
      max_output_bytes: toolsKeys.max_output_bytes,
      undo_max_mb: Type.Integer({
        default: 64,
        minimum: 0,
        maximum: 10_240,
        description:
          "How much of what tools replaced is kept for `gantry undo`, in MiB, at most 8 of one file, 1,000 changes and 30 days; 0 keeps nothing.",
      }),
    }),
  }),
  needs: {
    sandbox: optional(Sandbox),
    media: optional(Media),
    runtime: Runtime,
    audit: Audit,
    policy: Policy,
  },
  provides: [Tools, Commands, ChatCommands],
  errors,
  setup(host) {
    const { security, tools } = host.config;
    const { sandbox, media, runtime, audit, policy } = host.needs;
    const journal = new Journal(path.join(runtime.configDir, "undo"), tools.undo_max_mb * 1024 * 1024);
    const shared = {
      sandbox,
      timeoutMs: tools.file_operation_timeout_seconds * 1000,
      maxOutputBytes: tools.max_output_bytes,
    };
    host.provide(Tools, readTool({ ...shared, media }));
    const writing = { ...shared, journal, enabled: security.file_write_enabled };
    host.provide(Tools, writeTool(writing));
    host.provide(Tools, editTool(writing));
    host.provide(Tools, listTool(shared));
    host.provide(Tools, findTool(shared));
    host.provide(Tools, searchTool({ ...shared, policy }));
    const undoing = { journal, audit, files: () => filesOf(shared) };
    host.provide(Commands, undoCommand(undoing, runtime.workspace));
    host.provide(ChatCommands, undoInChat(undoing, host.signal));
  },
});
