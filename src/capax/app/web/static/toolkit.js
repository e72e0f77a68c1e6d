// A function of the Vue application, called before its parts are registered. The toolkit would compile the templates of
// these parts in the browser, and run the text of messages; here are the parts as functions, and only messages that call
// a known function with JSON arguments are understood.
window.capaxTie=(function(app){
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
const calls={runMethod,capaxEdit,capaxMark,capaxLink,capaxSee,capaxSolved};
window.runJavascript=async function(code,request){
const call=/^(?:return )?(\w+)\(([^]*)\)$/.exec(code);
if(!call||!Object.hasOwn(calls,call[1]))throw new Error('not a call that this page makes: '+code.slice(0,80));
const result=await calls[call[1]](...JSON.parse('['+call[2]+']'));
if(request)socket.emit('javascript_response',{request_id:request,client_id:clientId,result})}});
