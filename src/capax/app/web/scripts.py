"""The scripts of the playground: the theme, pictures that wake up, and RASP in the editor.

The pages have a content security policy without `unsafe-eval`, so nothing here makes code out of text, and the three
places where the toolkit does are replaced by `TIE`.
"""

from typing import Final

from capax.draw.ink.page_script import SCRIPT as PICTURE

_PAGE: Final = """
window.capaxNight=function(){const now=localStorage.getItem('capax-theme')||'auto';
const night=now==='auto'?matchMedia('(prefers-color-scheme: dark)').matches:now==='dark';
document.documentElement.classList.toggle('cx-night',night)};
capaxNight();
window.capaxTheme=function(next){
const names=['auto','light','dark'];let now=localStorage.getItem('capax-theme')||'auto';
if(next){now=names[(names.indexOf(now)+1)%3];localStorage.setItem('capax-theme',now)}
capaxNight();Quasar.Dark.set(now==='auto'?'auto':now==='dark');
for(const b of document.querySelectorAll('.cx-theme')){b.textContent={auto:'auto',light:'light',dark:'dark'}[now];
b.setAttribute('aria-label','colours: '+now+', press to change')}};
window.capaxShare=function(button){
const done=()=>{button.textContent='copied';setTimeout(()=>button.textContent='share',1500)};
if(navigator.clipboard)navigator.clipboard.writeText(location.href).then(done,()=>prompt('The link:',location.href));
else prompt('The link:',location.href)};
document.addEventListener('click',e=>{const t=e.target.closest&&e.target.closest('.cx-theme,.cx-share');
if(!t)return;t.classList.contains('cx-theme')?capaxTheme(true):capaxShare(t)});
document.addEventListener('keydown',e=>{if(!e.altKey||e.ctrlKey||e.metaKey)return;const k=+e.key;
const tabs=document.querySelectorAll('.cx-tabs a');if(k>=1&&k<=tabs.length){e.preventDefault();tabs[k-1].click()}});
new MutationObserver(()=>{for(const v of document.querySelectorAll('.cx-wake[data-html]')){
v.innerHTML=v.dataset.html;v.removeAttribute('data-html');
for(const p of v.querySelectorAll('.capax-view'))capaxPicture(p.id)}
for(const b of document.querySelectorAll('.cx-theme'))if(!b.textContent)capaxTheme(false);
}).observe(document,{childList:true,subtree:true});
window.addEventListener('load',()=>{capaxTheme(false);
const here=document.querySelector('.cx-tabs a[aria-current=page]');
if(here)here.scrollIntoView({inline:'center',block:'nearest'})});
window.capaxLink=address=>history.replaceState({},'',address);
window.capaxSee=selector=>document.querySelector(selector)?.scrollIntoView({block:'start',behavior:'smooth'});
"""
"""The theme, before anything is drawn, so that nothing flashes; its switch, the share button, Alt+1 to Alt+9 for the
pages, and hovering in pictures that come later."""

_EDITOR: Final = r"""
(async function(id,names,label){
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
view.dom.dataset.ready='1'})"""
"""A function of the editor's number, the names that it completes, and its label: highlighting and completion.

Underlines are set by `capaxMark`, and only while the text is as long as it was when they were found: to send them as a
property of the editor would send the text as well, and undo what was typed since.
"""

_MARK: Final = "(async function(id,size,marks){const v=await getElement(id)?.editorPromise;v?.capaxMark?.(size,marks)})"
"""A function of the editor's number, the length of the text, and the marks."""

_TIE: Final = r"""
(function(app){
const h=Vue.h,part=name=>Vue.resolveComponent(name);
const drawn={
'nicegui-html'(){return h(this.tag)},
'nicegui-codemirror'(){return h('div')},
'nicegui-input'(){return h(part('q-input'),{ref:'qRef',modelValue:this.inputValue,shadowText:this.shadowText,
'onUpdate:modelValue':value=>{this.inputValue=value},
onKeydown:Vue.withKeys(e=>this.perform_autocomplete(e),['tab'])},this.$slots)},
'nicegui-select'(){return h(part('q-select'),{ref:'qRef',options:this.filteredOptions,onFilter:this.filterFn,
onPopupShow:this.addClass,onPopupHide:this.removeClass,onInputValue:this.forwardInputValue,
'onUpdate:modelValue':this.forwardModelValue},this.$slots)},
'nicegui-upload'(){return h(part('q-uploader'),{ref:'qRef',url:this.computed_url},this.$slots)},
'nicegui-expansion'(){const {default:inside,...others}=this.$slots;return h(part('q-expansion-item'),{ref:'qRef'},
{...others,default:()=>h('div',{class:'nicegui-expansion-content'},inside?inside():[])})}};
const register=app.component;
app.component=function(name,one){if(one&&one.template&&drawn[name]){one={...one,render:drawn[name]};delete one.template}
return arguments.length===1?register.call(app,name):register.call(app,name,one)};
const calls={runMethod,capaxEdit,capaxMark,capaxLink,capaxSee};
window.runJavascript=async function(code,request){
const call=/^(?:return )?(\w+)\(([^]*)\)$/.exec(code);
if(!call||!Object.hasOwn(calls,call[1]))throw new Error('not a call that this page makes: '+code.slice(0,80));
const result=await calls[call[1]](...JSON.parse('['+call[2]+']'));
if(request)socket.emit('javascript_response',{request_id:request,client_id:clientId,result})}})"""
"""A function of the Vue application, called before its parts are registered. The toolkit would compile the templates of
these parts in the browser, and run the text of messages; here are the parts as functions, and only those messages are
understood that call a known function with JSON as arguments."""

PAGE: Final = (
    f"window.capaxPicture={PICTURE};\nwindow.capaxEdit={_EDITOR};\nwindow.capaxMark={_MARK};\n"
    f"window.capaxTie={_TIE};{_PAGE}"
)
"""The script of every page."""
TIE: Final = "capaxTie(app);"
"""What ties the toolkit to it, in the script that starts the page."""
