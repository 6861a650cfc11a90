// What a program says to people: sentences and phrases, wherever they stand, and all that errors say but their codes. Mutants
// leave it alone: wording is judged by reading it, and a test of a sentence is a copy of the sentence.
import ts from 'typescript';

/** Two words with a space between them; but not what programs read: SQL, markup, code, headers, paths. */
const phrase = /\p{L} \p{L}/u;
const readByPrograms =
  /[=<>{}\\_\n]|\w\/\w|\w-src\b|\b(SELECT|FROM|WHERE|ORDER BY|GROUP BY|AND|OR|NULL|TABLE|UPDATE|FILTER)\b/;
const isPhrase = (text) => phrase.test(text) && !readByPrograms.test(text.trimEnd());

/** Functions that look for their argument in a text or a list, which is then no wording of ours. */
const lookup = /^(includes|has|get|set|startsWith|endsWith|indexOf|split|replace|replaceAll|exec|query)$/;

const isText = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** Whether a text is compared with, looked up or a key, so that the program itself reads it. */
function isRead(node) {
  const { parent } = node;
  if (ts.isBinaryExpression(parent)) return /^[!=]==?$/.test(parent.operatorToken.getText());
  if (ts.isCallExpression(parent)) return lookup.test(parent.expression.name?.text ?? '');
  return ts.isCaseClause(parent) || ts.isElementAccessExpression(parent) || parent.name === node;
}

/** The words that an expression inside a sentence chooses among or joins with: `n === 1 ? 'picture' : 'pictures'`. */
function wordsOf(node) {
  if (isText(node)) return [node];
  if (ts.isParenthesizedExpression(node)) return wordsOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...wordsOf(node.whenTrue), ...wordsOf(node.whenFalse)];
  if (ts.isBinaryExpression(node) && /^(\?\?|\|\||\+)$/.test(node.operatorToken.getText()))
    return [...wordsOf(node.left), ...wordsOf(node.right)];
  if (ts.isCallExpression(node) && node.expression.name?.text === 'join') return node.arguments.flatMap(wordsOf);
  return [];
}

/** A text as it may come out: what is computed is left open, words that are chosen among stand there. */
const textOf = (node) =>
  ts.isTemplateExpression(node)
    ? node.templateSpans.reduce(
        (text, { expression, literal }) => `${text}…${wordsOf(expression).map(textOf).join('…')}…${literal.text}`,
        node.head.text,
      )
    : node.text;

/** The conditions of an expression inside a sentence that choose between two single words, singular and plural for instance. */
function choicesOf(node) {
  if (ts.isParenthesizedExpression(node)) return choicesOf(node.expression);
  if (!ts.isConditionalExpression(node)) return [];
  const plain = [node.whenTrue, node.whenFalse].every(ts.isStringLiteralLike);
  return plain ? [node.condition] : [...choicesOf(node.whenTrue), ...choicesOf(node.whenFalse)];
}

const errorName = /(Error|Failure|Refusal)$/;

/** Arguments of an error that are words, wholly or in part; the code, or the kind of a failure, is none. */
function wordedArguments(call) {
  const name = call.expression.getText();
  if (!errorName.test(name)) return [];
  return (call.arguments ?? []).filter(
    (argument, i) =>
      !(ts.isStringLiteralLike(argument) && argument.text.startsWith('BOWERBIRD_')) &&
      !(i === 0 && /(Failure|Refusal)$/.test(name)),
  );
}

/** Finds the wording of a source: gives a function that tells whether a mutant from one place of it to another is one of words. */
export function wordingOf(source) {
  const exact = new Set();
  const whole = [];
  const addWhole = (node) => whole.push([node.getStart(), node.end]);
  const visit = (node) => {
    if (ts.isNewExpression(node))
      for (const argument of wordedArguments(node)) {
        if (isText(argument) || ts.isObjectLiteralExpression(argument) || ts.isBinaryExpression(argument))
          addWhole(argument);
        else for (const word of wordsOf(argument)) addWhole(word);
        for (const condition of choicesOf(argument)) addWhole(condition);
      }
    if (isText(node) && isPhrase(textOf(node)) && !isRead(node)) {
      exact.add(`${node.getStart()} ${node.end}`);
      for (const { expression } of node.templateSpans ?? []) {
        for (const word of wordsOf(expression)) exact.add(`${word.getStart()} ${word.end}`);
        for (const condition of choicesOf(expression)) addWhole(condition);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true));
  return (start, end) => exact.has(`${start} ${end}`) || whole.some(([from, to]) => from <= start && end <= to);
}
