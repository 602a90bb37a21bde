import { ApprovalCard } from "./approval-card.tsx";
import { failure, isKnown, questions } from "./approval-state.ts";
import { Busy, Empty, Failed, View } from "./parts.tsx";
import { texts } from "./texts.ts";

/** The questions of every door. */
export function Approvals() {
  const first = questions.value.find(({ end }) => end === undefined)?.question.id;
  return (
    <View title={texts.approvals.title}>
      {failure.value && <Failed failure={failure.value} scope="decide" />}
      {!isKnown.value && !failure.value && <Busy />}
      {isKnown.value && questions.value.length === 0 && (
        <Empty title={texts.approvals.empty} hint={texts.approvals.emptyHint} icon="✓" />
      )}
      <div class="stack">
        {questions.value.map((asked) => (
          <ApprovalCard key={asked.question.id} {...asked} takesFocus={asked.question.id === first} />
        ))}
      </div>
    </View>
  );
}
