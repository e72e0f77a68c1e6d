// Highlighting, completion and underlines of RASP in the editor: a function of the editor's number, the names that it
// completes, and its label. Underlines are set by capaxMark, and only while the text is as long as it was when they were
// computed: to send them as a property of the editor would send the text as well, and undo what was typed since.
window.capaxEdit=(async function(id,names,label){
const CM=await import('nicegui-codemirror');
let part;while(!(part=getElement(id))||!part.editorPromise)await new Promise(r=>setTimeout(r,30));
const view=await part.editorPromise;
const words=new Map(names.map(n=>[n.label,n.kind]));
const sign=/#[^\n]*|"(?:\\[^\n]|[^"\\\n])*"?|\b\d+(?:\.\d*)?(?:[eE][+-]?\d+)?\b|[A-Za-z_]\w*|[=!<>]=?|[-+*\/%^]/g;
const dress=t=>{const c=t[0];if(c==='#')return 'rc';if(c==='"')return 'rs';if(/\d/.test(c))return 'rn';
if(/[A-Za-z_]/.test(c))return {word:'rk',library:'rb'}[words.get(t)]||null;return 'ro'};
const paint=new CM.MatchDecorator({regexp:sign,decorate:(add,from,to,m)=>{const k=dress(m[0]);
if(k)add(from,to,CM.Decoration.mark({class:k}))}});
const colours=CM.ViewPlugin.define(v=>({decorations:paint.createDeco(v),
update(u){this.decorations=paint.updateDeco(u,this.decorations)}}),{decorations:p=>p.decorations});
const source=context=>{const w=context.matchBefore(/[A-Za-z_]\w*/);
if(!w||(w.from===w.to&&!context.explicit))return null;
const line=context.state.doc.lineAt(w.from);if(line.text.slice(0,w.from-line.from).includes('#'))return null;
const mine=new Set([...context.state.doc.toString()
.matchAll(/([A-Za-z_]\w*)\s*=(?!=)|def\s+(\w+)/g)].map(m=>m[1]||m[2]));
const own=[...mine].filter(n=>!words.has(n)).map(n=>({label:n,type:'variable',detail:'here'}));
return {from:w.from,options:[...own,...names.map(n=>({label:n.label,type:n.type,detail:n.detail,info:n.info}))]}};
const data=CM.EditorState.languageData.of(()=>[{autocomplete:source,commentTokens:{line:'#'},
closeBrackets:{brackets:['(','[','{','"']}}]);
const setMarks=CM.StateEffect.define();
const field=CM.StateField.define({create:()=>CM.Decoration.none,update(marks,change){marks=marks.map(change.changes);
for(const e of change.effects)if(e.is(setMarks))marks=CM.Decoration.set(e.value.map(m=>
CM.Decoration.mark({class:'rasp-'+m.kind,text:m.text}).range(m.from,m.to)),true);return marks},
provide:f=>CM.EditorView.decorations.from(f)});
const tips=CM.hoverTooltip((v,pos)=>{let found=null;
v.state.field(field).between(pos,pos,(from,to,mark)=>{found={pos:from,end:to,above:true,create(){
const dom=document.createElement('div');dom.textContent=mark.spec.text;return {dom}}}});return found});
view.capaxMark=(size,marks)=>{if(view.state.doc.length===size)view.dispatch({effects:setMarks.of(marks)})};
view.dispatch({effects:CM.StateEffect.appendConfig.of([colours,data,field,tips,
CM.EditorView.contentAttributes.of({'aria-label':label,spellcheck:'false'})])});
view.dom.dataset.ready='1'});
// A function of the editor's number, the length of the text, and the marks.
window.capaxMark=(async function(id,size,marks){const v=await getElement(id)?.editorPromise;v?.capaxMark?.(size,marks)});
