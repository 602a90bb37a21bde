import { defineErrors, failed, policy } from "@gantry/sdk";

export const errors = defineErrors({
  FILES_NO_SANDBOX: policy(
    "No plugin fills the sandbox, so no file can be opened safely: list a sandbox, see `gantry plugins list`.",
  ),
  SEND_NO_MEDIA: policy("No plugin keeps media, so no file can be handed over: list a store that does."),
  SEND_TOO_LARGE: failed(
    "%s has %s bytes and at most %s can be handed over: make it smaller, or hand over its parts.",
  ),
  SEND_EMPTY: failed("%s is empty, so there is nothing to hand over: write it first."),
  SEARCH_LINES: failed("%s spans lines, and each line is searched by itself: look for a part of one line."),
  SEARCH_BAD_GLOB: failed(
    "%s is not a pattern of file names that can be matched: use a simpler one, such as src/**/*.ts.",
  ),
  EDIT_TOO_LARGE: failed("%s has %s bytes and more than %s cannot be edited: change it with a command."),
  EDIT_BINARY: failed("%s is a binary file of %s bytes, in which no text can be replaced."),
  EDIT_NOTHING: failed(
    "`old` and `new` are the same, so %s stays as it is: say what shall stand there instead.",
  ),
  EDIT_MISSED: failed(
    "`old` does not stand in %s: take it as the file has it, without line numbers; the nearest lines are\n%s",
  ),
  EDIT_MANY: failed(
    "`old` stands more than once in %s, at lines %s: add lines around it until it is one place, or pass `all`.",
  ),
  EDIT_AGAIN: failed(
    "This very edit of %s has just failed and fails again: read the file first, then take `old` from what stands there.",
  ),
  UNDO_ELSEWHERE: failed(
    "What tools changed last is in another workspace, %s: name that with -C DIR, as `gantry undo --list` shows it.",
  ),
  UNDO_NOTHING: failed(
    "There is no change of a tool to take back: `gantry undo --list` shows what there is, and `gantry runs undo` takes back what a command has changed.",
  ),
  UNDO_CHANGED: failed(
    "%s was changed after the tool changed it, so it was left as it is: undo a change of another file by naming that file.",
  ),
  UNDO_NOT_KEPT: failed(
    "What %s held was too large to be kept, so it cannot be put back: the next undo takes the change before.",
  ),
});
