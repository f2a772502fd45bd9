import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { completeSql, type Tables } from './sql-completion';
import classes from './sql-editor.module.css';

interface EditorProps {
  value: string;
  onChange: (text: string) => void;
  onRun: () => void;
  tables: Tables;
  /** where an error is, and what it is */
  mark: { offset: number; message: string } | undefined;
}

/** The text box of the query. */
export function SqlEditor(props: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (!host.current) return undefined;
    const editor = new EditorView({ state: stateFor(latest), parent: host.current });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    // The tables arrive while somebody types already: text, selection and focus stay.
    view.current?.dispatch({ effects: COMPLETION.reconfigure(completionOf(props.tables)) });
  }, [props.tables]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === props.value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: props.value } });
  }, [props.value]);
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const { mark } = props;
    const from = Math.min(mark?.offset ?? 0, editor.state.doc.length);
    const end = mark ? (editor.state.wordAt(from)?.to ?? Math.min(from + 1, editor.state.doc.length)) : 0;
    const found = mark ? [{ from, to: end, severity: 'error' as const, message: mark.message }] : [];
    editor.dispatch(setDiagnostics(editor.state, found));
  }, [props.mark]);
  return <div ref={host} className={classes.editor} />;
}

function stateFor(latest: { current: EditorProps }): EditorState {
  const run = (): boolean => {
    latest.current.onRun();
    return true;
  };
  const { tables, value } = latest.current;
  return EditorState.create({
    doc: value,
    extensions: [
      EditorView.cspNonce.of(nonce()),
      keymap.of([{ key: 'Mod-Enter', run }, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
      history(),
      lineNumbers(),
      closeBrackets(),
      COMPLETION.of(completionOf(tables)),
      autocompletion(),
      syntaxHighlighting(COLORS),
      placeholder('SELECT …'),
      EditorView.domEventHandlers({ beforeinput: replaceSelection }),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': 'Query' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) latest.current.onChange(update.state.doc.toString());
      }),
    ],
  });
}

/**
 * Replaces selected text without the browser, which would give the new text the colors of the old one as inline styles.
 * Brackets and quotes go around the selection.
 */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { inputType, data } = event;
  const selection = view.dom.ownerDocument.getSelection();
  if (inputType !== 'insertText' || data === null || !selection || selection.isCollapsed) return false;
  if (/^[([{'"`]$/.test(data)) return false;
  event.preventDefault();
  // The editor itself hears of a selection a moment after the browser.
  const range = selection.getRangeAt(0);
  const from = view.posAtDOM(range.startContainer, range.startOffset);
  const to = view.posAtDOM(range.endContainer, range.endOffset);
  view.dispatch({
    changes: { from, to, insert: data },
    selection: { anchor: from + data.length },
    userEvent: 'input.type',
    scrollIntoView: true,
  });
  return true;
}

const COMPLETION = new Compartment();

function completionOf(tables: Tables): Extension {
  return [
    sql({ dialect: PostgreSQL, upperCaseKeywords: true, schema: namesOf(tables) }),
    PostgreSQL.language.data.of({ autocomplete: completeSql(tables) }),
  ];
}

function namesOf(tables: Tables): Record<string, string[]> {
  return Object.fromEntries(Object.entries(tables).map(([table, columns]) => [table, Object.keys(columns)]));
}

function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}

const COLORS = HighlightStyle.define([
  { tag: tags.keyword, color: 'light-dark(#1257a8, #74c0fc)', fontWeight: '600' },
  { tag: tags.string, color: 'light-dark(#1d6b2e, #69db7c)' },
  { tag: tags.number, color: 'light-dark(#862e9c, #e599f7)' },
  { tag: tags.comment, color: 'light-dark(#5c636a, #b8b8b8)' },
]);
